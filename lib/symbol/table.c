/* SPDX-License-Identifier: MIT */
/*
 * Functions sorted by address, found by binary search. What a symbol that is inside another one
 * does not cover belongs to the outer one.
 *
 * Which name of an address is shown, and how far a symbol without a size goes, is as perf 6.1 has
 * it: of those without a size the last; else one that has a size, that is not weak, that is global,
 * that has few underscores, that is long. live/symtab-perf compares.
 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symtab.h>

enum { NOTHING_AROUND = UINT32_MAX, MAX_DEPTH = 256, PAGE = 4096 };

int xp_function_table_reserve(struct table *table, size_t nr)
{
	if (table->cap - table->nr >= nr)
		return 0;
	size_t cap = table->cap ? table->cap * 2 : 256;
	cap = cap > table->nr + nr ? cap : table->nr + nr;
	struct table_entry *at = reallocarray(table->at, cap, sizeof(*at));
	if (!at)
		return -ENOMEM;
	table->at = at;
	table->cap = cap;
	return 0;
}

int xp_function_table_add(struct table *table, const struct table_entry *entry)
{
	if (table->nr == UINT32_MAX - 1 || xp_function_table_reserve(table, 1))
		return -ENOMEM;
	table->at[table->nr++] = *entry;
	return 0;
}

int xp_function_table_add_name(struct table *table, const char *name, size_t len,
			       uint32_t *ret_name)
{
	size_t at = table->text.len;

	if (len >= UINT32_MAX || at >= UINT32_MAX - len)
		return -ENOMEM;
	*ret_name = (uint32_t)at;
	int err = xp_str_add(&table->text, name, len);
	return err ? err : xp_str_add(&table->text, "", 1);
}

static size_t name_len(const struct table *table, const struct table_entry *entry)
{
	return strcspn(table->text.s + entry->name, table->stops);
}

/* As far as names are compared: each may be the end of one long name. */
static size_t compared_len(const struct table *table, const struct table_entry *entry)
{
	enum { MAX_COMPARED = 4096 };

	return *table->stops ? name_len(table, entry)
			     : strnlen(table->text.s + entry->name, MAX_COMPARED);
}

/* Better ones come first; of equal ones, the one that the file has first is used. */
static int compare_names(const struct table *table, const struct table_entry *a,
			 const struct table_entry *b)
{
	const char *x = table->text.s + a->name, *y = table->text.s + b->name;
	size_t x_len = compared_len(table, a), y_len = compared_len(table, b);
	size_t x_marks = strspn(x, "_"), y_marks = strspn(y, "_");

	if (x_marks != y_marks)
		return x_marks < y_marks ? -1 : 1;
	if (x_len != y_len)
		return x_len > y_len ? -1 : 1;
	return 0;
}

/* Of two of one address, @x behind @y in the file: < 0: @x is the better one. */
static int compare(const struct table *table, const struct table_entry *x,
		   const struct table_entry *y)
{
	bool x_has_end = x->end > x->start, y_has_end = y->end > y->start;
	if (table->later_wins)
		return (x->flags < y->flags) - (x->flags > y->flags);
	if (!x_has_end && !y_has_end)
		return -1;
	if (x_has_end != y_has_end)
		return x_has_end ? -1 : 1;
	for (uint32_t flag = TABLE_WEAK; flag <= TABLE_LOCAL; flag <<= 1)
		if ((x->flags ^ y->flags) & flag)
			return x->flags & flag ? 1 : -1;
	return compare_names(table, x, y);
}

static bool is_sorted(const struct table *table)
{
	for (size_t i = 1; i < table->nr; i++)
		if (table->at[i - 1].start > table->at[i].start)
			return false;
	return true;
}

/* Puts the best of each address first, where the addresses are in order. */
static void choose_aliases(struct table *table)
{
	struct table_entry *best = table->at;

	for (size_t i = 1; i < table->nr; i++) {
		struct table_entry *entry = &table->at[i], better = *entry;

		if (entry->start != best->start) {
			best = entry;
		} else if (compare(table, entry, best) < 0) {
			*entry = *best;
			*best = better;
		}
	}
}

/* Puts all but the first of each address behind the others. Returns 0 or -ENOMEM. */
static int set_aliases_apart(struct table *table)
{
	size_t nr = 0, nr_aliases = 0;

	for (size_t i = 1; i < table->nr; i++)
		nr_aliases += table->at[i].start == table->at[i - 1].start;
	table->nr_all = table->nr;
	if (!nr_aliases)
		return 0;
	struct table_entry *aliases = calloc(nr_aliases, sizeof(*aliases));
	if (!aliases)
		return -ENOMEM;
	nr_aliases = 0;
	for (size_t i = 0; i < table->nr_all; i++)
		if (nr && table->at[nr - 1].start == table->at[i].start)
			aliases[nr_aliases++] = table->at[i];
		else
			table->at[nr++] = table->at[i];
	memcpy(table->at + nr, aliases, nr_aliases * sizeof(*aliases));
	free(aliases);
	table->nr = nr;
	return 0;
}

/* What the last one's end is if it has none: its page's, or that of a page that it begins. */
static uint64_t last_end(const struct table *table, uint64_t start)
{
	uint64_t page = start / PAGE * PAGE + (start % PAGE ? 2 : 1) * PAGE;

	return table->limit ? table->limit : page > start ? page : UINT64_MAX;
}

/* What does not say how long it is goes on to the next one. */
static void set_ends(struct table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		struct table_entry *entry = &table->at[i];

		if (entry->end <= entry->start)
			entry->end =
				i + 1 < table->nr ? entry[1].start : last_end(table, entry->start);
	}
}

static void set_around(struct table *table)
{
	uint32_t around = NOTHING_AROUND;

	for (size_t i = 0; i < table->nr; i++) {
		while (around != NOTHING_AROUND && table->at[around].end <= table->at[i].start)
			around = table->at[around].around;
		table->at[i].around = around;
		around = (uint32_t)i;
	}
}

int xp_function_table_seal(struct table *table)
{
	if (table->text.failed)
		return -ENOMEM;
	if (!table->nr)
		return 0;
	int err = is_sorted(table) ? 0 : xp_function_table_sort(table);
	if (err)
		return err;
	choose_aliases(table);
	err = set_aliases_apart(table);
	if (err)
		return err;
	set_ends(table);
	set_around(table);
	table->shown = calloc(table->nr, sizeof(*table->shown));
	return table->shown ? 0 : -ENOMEM;
}

static bool is_in_text(const struct table *table, const char *name)
{
	return name >= table->text.s && name <= table->text.s + table->text.len;
}

/* The name as it is shown. Whoever made it first, all see the same. NULL: out of memory. */
static const char *shown_name(struct table *table, size_t i)
{
	char *shown = atomic_load_explicit(&table->shown[i], memory_order_acquire);
	char *raw = table->text.s + table->at[i].name;
	size_t len = name_len(table, &table->at[i]);
	char *before = NULL;

	if (shown)
		return shown;
	if (table->demangler)
		shown = xp_demangle(table->demangler, raw, len);
	if (!shown)
		shown = raw[len] ? strndup(raw, len) : raw;
	if (!shown || atomic_compare_exchange_strong(&table->shown[i], &before, shown))
		return shown;
	if (!is_in_text(table, shown))
		free(shown);
	return before;
}

/* The last that begins at or before an address; the number of them all: none. */
static size_t search(const struct table *table, uint64_t address)
{
	const struct table_entry *at = table->at;
	size_t left = table->nr;

	if (!left || address < at->start)
		return table->nr;
	while (left > 1) {
		size_t half = left / 2;

		at = at[half].start <= address ? at + half : at;
		left -= half;
	}
	return (size_t)(at - table->at);
}

int xp_function_table_find(struct table *table, uint64_t address, struct xp_function *ret_function)
{
	size_t i = search(table, address);

	for (int depth = 0; i < table->nr && address >= table->at[i].end; depth++)
		i = depth < MAX_DEPTH ? table->at[i].around : NOTHING_AROUND;
	if (i >= table->nr)
		return 0;
	const struct table_entry *entry = &table->at[i];
	const char *name = shown_name(table, i);
	if (!name)
		return 0;
	*ret_function =
		(struct xp_function){ name, entry->start, entry->end - entry->start, (uint32_t)i };
	return 1;
}

static bool has_name(const struct table *table, size_t i, const char *name, size_t len)
{
	const char *its = table->text.s + table->at[i].name;

	return !strncmp(its, name, len) && (!its[len] || strchr(table->stops, its[len]));
}

int xp_function_table_address(const struct table *table, const char *name, uint64_t *ret_address)
{
	size_t len = strlen(name);

	/* Aliases first: there are few, and the kernel's beginning has several names. */
	for (size_t n = 0; n < table->nr_all; n++) {
		size_t i = (n + table->nr) % table->nr_all;

		if (!has_name(table, i, name, len))
			continue;
		*ret_address = table->at[i].start;
		return 0;
	}
	return -ENODATA;
}

void xp_function_table_fini(struct table *table)
{
	for (size_t i = 0; table->shown && i < table->nr; i++) {
		char *shown = atomic_load(&table->shown[i]);

		if (shown && !is_in_text(table, shown))
			free(shown);
	}
	free(table->shown);
	free(table->at);
	xp_str_fini(&table->text);
}
