/* SPDX-License-Identifier: MIT */
/*
 * The text is divided into blocks of some hundred lines, of which only the first address is read.
 * A block becomes a table when an address of it is first looked up. A text that turns out not to be
 * in order is one single block.
 *
 * It is read, not mapped: a copy that is cut while it is mapped would end its reader by SIGBUS. Of
 * a text that is kept in a cache, a block is read when it becomes a table.
 *
 * Source: proc(5), "/proc/kallsyms"; nm(1) for the types; the kernel's scripts/kallsyms.c, which
 * sorts by address.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symtab.h>

#include "cleanup.h"
#include "ctx.h"
#include "kernel-cache.h"
#include "kernel-text-impl.h"
#include "search.h"

enum { BLOCK_BYTES = 16384 };

/* The beginning of the first line at or behind an offset. */
static size_t next_line(const struct kernel_text *text, size_t offset)
{
	if (!offset || offset >= text->len)
		return offset;
	const char *newline = memchr(text->bytes + offset - 1, '\n', text->len - offset + 1);
	return newline ? (size_t)(newline - text->bytes) + 1 : text->len;
}

/* Where lines of modules begin, as far as they are the last. */
static size_t find_modules(const struct kernel_text *text)
{
	size_t low = 0, high = text->len;

	while (high - low > BLOCK_BYTES / 4) {
		size_t middle = next_line(text, low + (high - low) / 2);
		const char *end = memchr(text->bytes + middle, '\n', text->len - middle);

		if (middle >= high || !end)
			break;
		if (end[-1] == ']')
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Finds the first symbol behind an offset that has another address than @not. */
static bool find_symbol(const struct kernel_text *text, size_t offset, uint64_t not,
			size_t *ret_offset, uint64_t *ret_address)
{
	struct text_cursor cursor = { text->bytes + next_line(text, offset),
				      text->bytes + text->modules };
	struct text_symbol symbol;
	bool is_other = !offset;

	/* The one before it says which address that is. */
	while (xp_text_next_kernel_symbol(&cursor, &symbol)) {
		if (!kernel_symbol_is_wanted(&symbol) || symbol.module_len)
			continue;
		if (is_other && symbol.address != not ) {
			*ret_offset = (size_t)(symbol.line - text->bytes);
			*ret_address = symbol.address;
			return true;
		}
		not = symbol.address;
		is_other = true;
	}
	return false;
}

static void add_block(struct kernel_text *text, size_t offset, uint64_t address)
{
	if (text->nr_blocks) {
		text->blocks[text->nr_blocks - 1].end = offset;
		text->blocks[text->nr_blocks - 1].limit = address;
	}
	text->blocks[text->nr_blocks++] = (struct block){
		.offset = offset,
		.end = text->modules,
		.address = address,
	};
}

/* Returns 0, -EACCES: there are only hidden addresses; -ENOEXEC: none at all; -ENOMEM. */
static int divide(struct kernel_text *text)
{
	size_t offset;
	uint64_t address = 0;

	text->blocks = calloc(text->modules / BLOCK_BYTES + 1, sizeof(*text->blocks));
	if (!text->blocks)
		return -ENOMEM;
	for (size_t at = 0; at < text->modules; at = offset + BLOCK_BYTES) {
		uint64_t last = address;

		if (!find_symbol(text, at, 0, &offset, &address))
			break;
		if (address < last) {
			text->nr_blocks = 0;
			text->modules = text->len;
			add_block(text, 0, 0);
			return 0;
		}
		add_block(text, offset, address);
	}
	if (text->nr_blocks)
		return 0;
	struct text_cursor cursor = { text->bytes, text->bytes + text->len };
	struct text_symbol symbol;
	return xp_text_next_kernel_symbol(&cursor, &symbol) ? -EACCES : -ENOEXEC;
}

static struct kernel_text *new_text(struct xp_ctx *ctx, const char *path)
{
	struct kernel_text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	pthread_mutex_init(&text->lock, NULL);
	text->users = 1;
	text->ctx = ctx;
	text->path = strdup(path);
	if (text->path)
		return text;
	xp_kernel_text_unref(text);
	return NULL;
}

int xp_kernel_text_open(struct xp_ctx *ctx, const char *path, struct kernel_text **ret_text)
{
	struct kernel_text *text = new_text(ctx, path);
	int err = text ? xp_text_read(ctx, path, &text->read) : -ENOMEM;

	if (!err) {
		text->bytes = text->read.s;
		text->len = text->read.len;
		/* Lines end with a newline, so that looking for it ends, too. */
		const char *newline = memrchr(text->bytes, '\n', text->len);

		text->len = newline ? (size_t)(newline - text->bytes) + 1 : 0;
		text->modules = find_modules(text);
		err = divide(text);
	}
	if (err)
		xp_kernel_text_unref(text);
	else
		*ret_text = text;
	return err;
}

struct kernel_text *xp_kernel_text_ref(struct kernel_text *text)
{
	atomic_fetch_add(&text->users, 1);
	return text;
}

void xp_kernel_text_unref(struct kernel_text *text)
{
	if (!text || atomic_fetch_sub(&text->users, 1) > 1)
		return;
	for (size_t i = 0; i < text->nr_blocks; i++) {
		struct table *table = atomic_load(&text->blocks[i].table);

		if (table)
			xp_function_table_fini(table);
		free(table);
	}
	xp_kernel_text_unref(text->replacement);
	xp_kernel_cache_close(text->kept);
	xp_str_fini(&text->read);
	pthread_mutex_destroy(&text->lock);
	free(text->is_read);
	free(text->runs);
	free(text->blocks);
	free(text->dir);
	free(text->path);
	free(text);
}

/* --- a text that is kept --- */

/* One part for each block, and one for the modules. */
static int keep(const struct kernel_text *text, uint64_t modules_loaded)
{
	struct kernel_cache cache = { .len = text->len,
				      .modules = text->modules,
				      .nr_parts = (uint32_t)text->nr_blocks + 1,
				      .modules_loaded = modules_loaded };
	xp_auto_free struct kernel_part *parts = calloc(cache.nr_parts, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < text->nr_blocks; i++)
		parts[i] = (struct kernel_part){ .offset = text->blocks[i].offset,
						 .address = text->blocks[i].address };
	parts[text->nr_blocks].offset = text->modules;
	cache.parts = parts;
	return xp_kernel_cache_write(text->ctx, text->dir, &cache, text->bytes);
}

/* Reads it from the kernel, and keeps it. */
static int open_new(struct xp_ctx *ctx, const char *path, const char *dir,
		    struct kernel_text **ret_text)
{
	uint64_t before = dir ? xp_kernel_modules(ctx, NULL, NULL) : 0;
	int err = xp_kernel_text_open(ctx, path, ret_text);

	if (err || !dir)
		return err;
	struct kernel_text *text = *ret_text;
	uint64_t loaded = xp_kernel_modules(ctx, NULL, NULL);
	text->dir = strdup(dir);
	int kept = text->dir ? keep(text, loaded == before ? loaded : 0) : -ENOMEM;
	if (kept)
		xp_log(ctx, XP_LOG_DEBUG, "the kernel's names are not kept in %s: %s", dir,
		       strerror(-kept));
	return 0;
}

static int set_blocks(struct kernel_text *text, const struct kernel_cache *kept)
{
	text->blocks = calloc(kept->nr_parts, sizeof(*text->blocks));
	text->is_read = calloc(kept->nr_parts, sizeof(*text->is_read));
	/* Only what is read is touched. */
	text->read.s = malloc(kept->len + 1);
	if (!text->blocks || !text->is_read || !text->read.s)
		return -ENOMEM;
	text->bytes = text->read.s;
	text->len = kept->len;
	text->modules = kept->modules;
	for (uint32_t i = 0; i + 1 < kept->nr_parts; i++)
		add_block(text, kept->parts[i].offset, kept->parts[i].address);
	return 0;
}

static int open_kept(struct xp_ctx *ctx, const char *path, const char *dir,
		     struct kernel_text **ret_text)
{
	struct kernel_cache *kept;
	int err = xp_kernel_cache_open(ctx, dir, &kept);

	if (err)
		return err;
	struct kernel_text *text = new_text(ctx, path);
	if (!text) {
		xp_kernel_cache_close(kept);
		return -ENOMEM;
	}
	text->kept = kept;
	text->dir = strdup(dir);
	err = text->dir ? set_blocks(text, kept) : -ENOMEM;
	if (err)
		xp_kernel_text_unref(text);
	else
		*ret_text = text;
	return err;
}

int xp_kernel_text_open_running(struct xp_ctx *ctx, const char *dir, struct kernel_text **ret_text)
{
	xp_auto_free char *path = NULL;

	if (asprintf(&path, "%s/proc/kallsyms", ctx->root) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	int err = dir ? open_kept(ctx, path, dir, ret_text) : -ENOENT;
	return err && err != -ENOMEM ? open_new(ctx, path, dir, ret_text) : err;
}

/* Reads the bytes of a part. Returns 0, or -EBADMSG: what is kept is damaged. */
static int read_part(struct kernel_text *text, size_t part)
{
	if (!text->kept)
		return 0;
	pthread_mutex_lock(&text->lock);
	int err = text->is_read[part] ? 0 : xp_kernel_cache_read(text->kept, part, text->read.s);
	text->is_read[part] = !err;
	pthread_mutex_unlock(&text->lock);
	return err;
}

int xp_kernel_text_read_all(struct kernel_text *text)
{
	int err = 0;

	for (size_t i = 0; !err && i <= text->nr_blocks; i++)
		err = read_part(text, i);
	return err;
}

struct kernel_text *xp_kernel_text_replacement(struct kernel_text *text)
{
	pthread_mutex_lock(&text->lock);
	if (!text->is_replaced) {
		int err = open_new(text->ctx, text->path, text->dir, &text->replacement);

		xp_log(text->ctx, XP_LOG_DEBUG, "the kernel's names in %s are out of date: %s",
		       text->dir, err ? strerror(-err) : "they were read again");
		text->is_replaced = true;
	}
	struct kernel_text *replacement = text->replacement;
	pthread_mutex_unlock(&text->lock);
	return replacement;
}

/* --- what is asked of it --- */

const char *xp_kernel_text_path(const struct kernel_text *text)
{
	return text->path;
}

int xp_kernel_text_add(struct table *table, const struct text_symbol *symbol, uint64_t base)
{
	struct table_entry entry = { .start = symbol->address - base,
				     .end = symbol->address - base };
	int err = xp_function_table_add_name(table, symbol->name, symbol->name_len, &entry.name);

	return err ? err : xp_function_table_add(table, &entry);
}

static int fill(struct table *table, const struct kernel_text *text, const struct block *block)
{
	struct text_cursor cursor = { text->bytes + block->offset, text->bytes + block->end };
	struct text_symbol symbol;
	int err = 0;

	table->stops = "";
	table->limit = block->limit;
	while (!err && xp_text_next_kernel_symbol(&cursor, &symbol))
		if (kernel_symbol_is_wanted(&symbol) && !symbol.module_len &&
		    symbol.address >= block->address &&
		    (!block->limit || symbol.address < block->limit))
			err = xp_kernel_text_add(table, &symbol, 0);
	return err ? err : xp_function_table_seal(table);
}

/* The table of a block; whoever makes it first, all use the same. NULL: out of memory. */
static struct table *table_of(struct kernel_text *text, struct block *block,
			      struct demangler *demangler)
{
	struct table *table = atomic_load_explicit(&block->table, memory_order_acquire);
	struct table *before = NULL;

	if (table)
		return table;
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->demangler = demangler;
	int err = fill(table, text, block);
	if (!err && atomic_compare_exchange_strong(&block->table, &before, table))
		return table;
	xp_function_table_fini(table);
	free(table);
	return before;
}

/* NULL: there is none. */
static struct block *block_of(const struct kernel_text *text, uint64_t address)
{
	size_t nr = SEARCH_UP_TO(address, text->blocks, text->nr_blocks, address);

	return nr ? &text->blocks[nr - 1] : NULL;
}

int xp_kernel_text_find(struct kernel_text *text, uint64_t address, struct demangler *demangler,
			struct xp_function *ret_function)
{
	struct block *block = block_of(text, address);

	if (block && read_part(text, (size_t)(block - text->blocks))) {
		text = xp_kernel_text_replacement(text);
		block = text ? block_of(text, address) : NULL;
	}
	struct table *table = block ? table_of(text, block, demangler) : NULL;
	if (!table || !xp_function_table_find(table, address, ret_function))
		return 0;
	/* A block has more bytes than functions. */
	ret_function->index += (uint32_t)block->offset;
	return 1;
}

/* Looks for a name in some lines. Returns 0 or -ENODATA. */
static int find_name(const char *begin, const char *end, const char *name, uint64_t *ret_address)
{
	size_t len = strlen(name);

	for (const char *at = begin; len && (at = memmem(at, (size_t)(end - at), name, len));
	     at++) {
		struct text_cursor cursor = { at, end };
		struct text_symbol symbol;

		/* Behind it the line has to end, and before it are an address and a type. */
		if (at - begin < 4 || at[-1] != ' ' || at[len] != '\n')
			continue;
		const char *before = memrchr(begin, '\n', (size_t)(at - begin));
		cursor.at = before ? before + 1 : begin;
		if (!xp_text_next_kernel_symbol(&cursor, &symbol) || symbol.name != at)
			continue;
		*ret_address = symbol.address;
		return 0;
	}
	return -ENODATA;
}

int xp_kernel_text_address(struct kernel_text *text, const char *name, uint64_t *ret_address)
{
	size_t begin = 0, len = text->modules;
	int err = -ENODATA;

	if (!text->kept)
		return find_name(text->bytes, text->bytes + len, name, ret_address);
	for (size_t i = 0; err && i < text->nr_blocks; i++) {
		if (read_part(text, i)) {
			text = xp_kernel_text_replacement(text);
			return text ? xp_kernel_text_address(text, name, ret_address) : -ENODATA;
		}
		len = xp_kernel_part_at(text->kept, i, &begin);
		err = find_name(text->bytes + begin, text->bytes + begin + len, name, ret_address);
	}
	return err;
}
