/* SPDX-License-Identifier: MIT */
/* The functions of the kernel's modules: lines that say which module they are of, in a text of
 * /proc/kallsyms. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-cache.h"
#include "kernel-text-impl.h"
#include "search.h"
#include "vec.h"

static int compare_names(const void *x, const void *y)
{
	const struct run *a = x, *b = y;
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

	pthread_mutex_lock(&text->lock);
	int err = text->has_runs ? 0 : find_runs(text);
	pthread_mutex_unlock(&text->lock);
	if (err || !text->nr_runs)
		return err;
	size_t low = search_before(&key, text->runs, text->nr_runs, sizeof(key), compare_names);
	size_t high = low;

	for (; high < text->nr_runs && !compare_names(&text->runs[high], &key); high++)
		;
	*ret_first = text->runs + low;
	*ret_end = text->runs + high;
	return 0;
}

static bool is_code(const struct text_symbol *symbol)
{
	return kernel_symbol_is_wanted(symbol) && strchr("TtWw", symbol->type);
}

int xp_kernel_text_module(struct kernel_text *text, const char *name, struct table *table)
{
	enum { PAGE = 4096 };
	const struct run *first = NULL, *end = NULL;
	struct text_symbol symbol;
	uint64_t base = UINT64_MAX;

	if (text->kept &&
	    (!xp_kernel_cache_has_module(text->kept, name) || xp_kernel_text_read_all(text)))
		text = xp_kernel_text_replacement(text);
	int err = text ? runs_of(text, name, &first, &end) : -ENOENT;
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
					err = xp_kernel_text_add(table, &symbol,
								 base / PAGE * PAGE);
			}
		}
	table->base = base / PAGE * PAGE;
	return err ? err : table->nr ? 0 : -ENOENT;
}
