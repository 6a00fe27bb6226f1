/* SPDX-License-Identifier: MIT */
/*
 * The text is divided into blocks of some hundred lines, of which only the first address is read.
 * A block becomes a table when an address of it is first looked up. A text that turns out not to be
 * in order is one single block.
 *
 * It is read, not mapped: a copy that is cut while it is mapped would end its reader by SIGBUS.
 *
 * Source: proc(5), "/proc/kallsyms"; nm(1) for the types; the kernel's scripts/kallsyms.c, which
 * sorts by address.
 */
#include "kernel-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol-text.h"

enum { BLOCK_BYTES = 16384 };

/* @limit: where the next one begins; 0: there is none */
struct block {
	size_t offset, end;
	uint64_t address, limit;
	_Atomic(struct table *) table; /* NULL: not made yet */
};

struct kernel_text {
	char *path;
	struct xp_str read;
	const char *bytes;
	size_t len;     /* up to the last newline */
	size_t modules; /* where those begin */
	struct block *blocks;
	size_t nr_blocks;
};

/* What names code or data; perf 6.1 takes these. */
static bool is_wanted(const struct text_symbol *symbol)
{
	static const char types[] = "TtWwDdBb";

	return strchr(types, symbol->type) && symbol->address;
}

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
	while (text_next_kernel_symbol(&cursor, &symbol)) {
		if (!is_wanted(&symbol) || symbol.module_len)
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
	return text_next_kernel_symbol(&cursor, &symbol) ? -EACCES : -ENOEXEC;
}

int kernel_text_open(struct xp_ctx *ctx, const char *path, struct kernel_text **ret_text)
{
	struct kernel_text *text = calloc(1, sizeof(*text));

	if (!text)
		return -ENOMEM;
	text->path = strdup(path);
	int err = text->path ? text_read(ctx, path, &text->read) : -ENOMEM;
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
		kernel_text_free(text);
	else
		*ret_text = text;
	return err;
}

void kernel_text_free(struct kernel_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < text->nr_blocks; i++) {
		struct table *table = atomic_load(&text->blocks[i].table);

		if (table)
			table_fini(table);
		free(table);
	}
	xp_str_fini(&text->read);
	free(text->blocks);
	free(text->path);
	free(text);
}

const char *kernel_text_path(const struct kernel_text *text)
{
	return text->path;
}

static int add(struct table *table, const struct text_symbol *symbol, uint64_t base)
{
	struct table_entry entry = { .start = symbol->address - base,
				     .end = symbol->address - base };
	int err = table_add_name(table, symbol->name, symbol->name_len, &entry.name);

	return err ? err : table_add(table, &entry);
}

static int fill(struct table *table, const struct kernel_text *text, const struct block *block)
{
	struct text_cursor cursor = { text->bytes + block->offset, text->bytes + block->end };
	struct text_symbol symbol;
	int err = 0;

	table->stops = "";
	table->limit = block->limit;
	while (!err && text_next_kernel_symbol(&cursor, &symbol))
		if (is_wanted(&symbol) && !symbol.module_len && symbol.address >= block->address &&
		    (!block->limit || symbol.address < block->limit))
			err = add(table, &symbol, 0);
	return err ? err : table_seal(table);
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
	table_fini(table);
	free(table);
	return before;
}

int kernel_text_find(struct kernel_text *text, uint64_t address, struct demangler *demangler,
		     struct xp_function *ret_function)
{
	size_t low = 0, high = text->nr_blocks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (text->blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	struct table *table = low ? table_of(text, &text->blocks[low - 1], demangler) : NULL;
	if (!table || !table_find(table, address, ret_function))
		return 0;
	/* A block has more bytes than functions. */
	ret_function->index += (uint32_t)text->blocks[low - 1].offset;
	return 1;
}

int kernel_text_address(const struct kernel_text *text, const char *name, uint64_t *ret_address)
{
	const char *at = text->bytes, *end = at + text->modules;
	size_t len = strlen(name);

	for (; len && (at = memmem(at, (size_t)(end - at), name, len)); at++) {
		struct text_cursor cursor = { at, end };
		struct text_symbol symbol;

		/* Behind it the line has to end, and before it are an address and a type. */
		if (at - text->bytes < 4 || at[-1] != ' ' || at[len] != '\n')
			continue;
		const char *before = memrchr(text->bytes, '\n', (size_t)(at - text->bytes));
		cursor.at = before ? before + 1 : text->bytes;
		if (!text_next_kernel_symbol(&cursor, &symbol) || symbol.name != at)
			continue;
		*ret_address = symbol.address;
		return 0;
	}
	return -ENODATA;
}

static bool is_of(const struct text_symbol *symbol, const char *module)
{
	return is_wanted(symbol) && strchr("TtWw", symbol->type) &&
	       symbol->module_len == strlen(module) &&
	       !memcmp(symbol->module, module, symbol->module_len);
}

int kernel_text_module(const struct kernel_text *text, const char *name, struct table *table)
{
	enum { PAGE = 4096 };
	const struct text_cursor all = { text->bytes, text->bytes + text->len };
	struct text_cursor cursor = all;
	struct text_symbol symbol;
	uint64_t base = UINT64_MAX;
	int err = 0;

	table->stops = "";
	while (text_next_kernel_symbol(&cursor, &symbol))
		if (is_of(&symbol, name) && symbol.address < base)
			base = symbol.address;
	for (cursor = all; !err && text_next_kernel_symbol(&cursor, &symbol);)
		if (is_of(&symbol, name))
			err = add(table, &symbol, base / PAGE * PAGE);
	return err ? err : table->nr ? 0 : -ENOENT;
}
