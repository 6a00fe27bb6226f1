/* SPDX-License-Identifier: MIT */
/* Programs whose files have other names in the other recordings: their functions are no pairs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

/* Percent of the baseline that make a hint worth its line. */
static const double LEAST_SHARE = 5;

static int find_key(const struct diff *diff, enum xp_key key)
{
	for (int i = 0; i < diff->nr_keys; i++)
		if (diff->keys[i] == key)
			return i;
	return -1;
}

static bool is_in_others(const struct diff *diff, const struct diff_row *row)
{
	for (int side = 1; side < diff->nr_sides; side++)
		if (row->shares[side].nr)
			return true;
	return false;
}

/* The kernel and what has no name cannot have moved. */
static bool is_known(const char *symbol)
{
	return strncmp(symbol, "[k]", 3) && strcmp(symbol + 4, "[unknown]");
}

static int compare_symbols(const void *left, const void *right, void *key)
{
	const struct diff_row *const *a = left, *const *b = right;
	int symbol = *(const int *)key;

	return strcmp((*a)->cells[symbol], (*b)->cells[symbol]);
}

/* Percent of the baseline in functions that another recording has in another file. */
static double moved_share(const struct diff *diff, struct diff_row **rows, size_t nr, int symbol)
{
	double sum = 0;

	for (size_t i = 0, end; i < nr; i = end) {
		double share = 0;
		bool is_elsewhere = false;

		for (end = i; end < nr && !compare_symbols(&rows[i], &rows[end], &symbol); end++) {
			share += rows[end]->shares[0].nr ? rows[end]->shares[0].stats.mean : 0;
			is_elsewhere |= is_in_others(diff, rows[end]);
		}
		sum += is_elsewhere ? share : 0;
	}
	return sum;
}

static double moved(const struct diff *diff, const struct diff_event *event, int symbol)
{
	struct diff_row **rows = calloc(event->nr + 1, sizeof(*rows));
	size_t nr = 0;

	if (!rows)
		return 0;
	for (size_t i = 0; i < event->nr; i++) {
		struct diff_row *row = event->rows[i];

		if (is_known(row->cells[symbol]) && !row->shares[0].nr == is_in_others(diff, row))
			rows[nr++] = row;
	}
	qsort_r(rows, nr, sizeof(struct diff_row *), compare_symbols, &symbol);
	double share = moved_share(diff, rows, nr, symbol);
	free(rows);
	return share;
}

void diff_hint_renamed(const struct diff *diff)
{
	int symbol = find_key(diff, XP_KEY_SYMBOL);

	if (symbol < 0 || find_key(diff, XP_KEY_DSO) < 0)
		return;
	for (int i = 0; i < diff->nr_events; i++) {
		if (moved(diff, &diff->events[i], symbol) < LEAST_SHARE)
			continue;
		fputs("Hint: functions of the baseline are in files with other names; -s symbol "
		      "compares them\n",
		      stderr);
		return;
	}
}
