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
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "symbol-text.h"
#include "vec.h"

enum { BLOCK_BYTES = 16384 };

/* @limit: where the next one begins; 0: there is none */
struct block {
	size_t offset, end;
	uint64_t address, limit;
	_Atomic(struct table *) table; /* NULL: not made yet */
};

/* Lines of one module, one after the other. */
struct run {
	const char *module;
	size_t module_len;
	const char *at, *end;
};

struct kernel_text {
	char *path;
	struct xp_str read;
	const char *bytes;
	size_t len;     /* up to the last newline */
	size_t modules; /* where those begin */
	struct block *blocks;
	size_t nr_blocks;

	pthread_mutex_t lock; /* of what is made when the first module is asked for */
	bool has_runs;
	struct run *runs; /* by the modules' names, in their order */
	size_t nr_runs;
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
	while (xp_text_next_kernel_symbol(&cursor, &symbol)) {
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
	return xp_text_next_kernel_symbol(&cursor, &symbol) ? -EACCES : -ENOEXEC;
}

int xp_kernel_text_open(struct xp_ctx *ctx, const char *path, struct kernel_text **ret_text)
{
	struct kernel_text *text = calloc(1, sizeof(*text));

	if (!text)
		return -ENOMEM;
	pthread_mutex_init(&text->lock, NULL);
	text->path = strdup(path);
	int err = text->path ? xp_text_read(ctx, path, &text->read) : -ENOMEM;
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
		xp_kernel_text_free(text);
	else
		*ret_text = text;
	return err;
}

void xp_kernel_text_free(struct kernel_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < text->nr_blocks; i++) {
		struct table *table = atomic_load(&text->blocks[i].table);

		if (table)
			xp_function_table_fini(table);
		free(table);
	}
	xp_str_fini(&text->read);
	pthread_mutex_destroy(&text->lock);
	free(text->runs);
	free(text->blocks);
	free(text->path);
	free(text);
}

const char *xp_kernel_text_path(const struct kernel_text *text)
{
	return text->path;
}

static int add(struct table *table, const struct text_symbol *symbol, uint64_t base)
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
		if (is_wanted(&symbol) && !symbol.module_len && symbol.address >= block->address &&
		    (!block->limit || symbol.address < block->limit))
			err = add(table, &symbol, 0);
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

int xp_kernel_text_find(struct kernel_text *text, uint64_t address, struct demangler *demangler,
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
	if (!table || !xp_function_table_find(table, address, ret_function))
		return 0;
	/* A block has more bytes than functions. */
	ret_function->index += (uint32_t)text->blocks[low - 1].offset;
	return 1;
}

int xp_kernel_text_address(const struct kernel_text *text, const char *name, uint64_t *ret_address)
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
		if (!xp_text_next_kernel_symbol(&cursor, &symbol) || symbol.name != at)
			continue;
		*ret_address = symbol.address;
		return 0;
	}
	return -ENODATA;
}

static int compare_names(const struct run *a, const struct run *b)
{
	size_t len = a->module_len < b->module_len ? a->module_len : b->module_len;

	return memcmp(a->module, b->module, len)
		       ?: (a->module_len > b->module_len) - (a->module_len < b->module_len);
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return compare_names(x, y) ?: (x->at > y->at) - (x->at < y->at);
}

static int add_run(struct kernel_text *text, size_t *room, const struct run *run)
{
	if (vec_reserve(&text->runs, text->nr_runs, room, sizeof(*text->runs)))
		return -ENOMEM;
	text->runs[text->nr_runs++] = *run;
	return 0;
}

/* Goes through the whole text, once for all modules. Returns 0 or -ENOMEM. */
static int find_runs(struct kernel_text *text)
{
	struct text_cursor cursor = { text->bytes, text->bytes + text->len };
	struct text_symbol symbol;
	size_t room = 0;

	text->nr_runs = 0;
	while (xp_text_next_kernel_symbol(&cursor, &symbol)) {
		const struct run run = { symbol.module, symbol.module_len, symbol.line, cursor.at };
		struct run *last = text->nr_runs ? &text->runs[text->nr_runs - 1] : NULL;

		if (!run.module_len)
			continue;
		if (last && last->end == run.at && !compare_names(last, &run))
			last->end = run.end;
		else if (add_run(text, &room, &run))
			return -ENOMEM;
	}
	if (text->nr_runs)
		qsort(text->runs, text->nr_runs, sizeof(*text->runs), compare_runs);
	text->has_runs = true;
	return 0;
}

/* The runs of a module; without any, what is returned stays as it is. Returns 0 or -ENOMEM. */
static int runs_of(struct kernel_text *text, const char *name, const struct run **ret_first,
		   const struct run **ret_end)
{
	const struct run key = { .module = name, .module_len = strlen(name) };
	size_t low = 0, high;

	pthread_mutex_lock(&text->lock);
	int err = text->has_runs ? 0 : find_runs(text);
	pthread_mutex_unlock(&text->lock);
	if (err || !text->nr_runs)
		return err;
	for (high = text->nr_runs; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(&text->runs[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < text->nr_runs && !compare_names(&text->runs[high], &key); high++)
		;
	*ret_first = text->runs + low;
	*ret_end = text->runs + high;
	return 0;
}

static bool is_code(const struct text_symbol *symbol)
{
	return is_wanted(symbol) && strchr("TtWw", symbol->type);
}

int xp_kernel_text_module(struct kernel_text *text, const char *name, struct table *table)
{
	enum { PAGE = 4096 };
	const struct run *first = NULL, *end = NULL;
	struct text_symbol symbol;
	uint64_t base = UINT64_MAX;
	int err = runs_of(text, name, &first, &end);

	table->stops = "";
	for (int pass = 0; pass < 2; pass++)
		for (const struct run *run = first; !err && run < end; run++) {
			struct text_cursor cursor = { run->at, run->end };

			while (!err && xp_text_next_kernel_symbol(&cursor, &symbol)) {
				if (!is_code(&symbol))
					continue;
				if (!pass)
					base = symbol.address < base ? symbol.address : base;
				else
					err = add(table, &symbol, base / PAGE * PAGE);
			}
		}
	return err ? err : table->nr ? 0 : -ENOENT;
}
