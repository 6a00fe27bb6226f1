/* SPDX-License-Identifier: MIT */
/* The rows of `xperf stat --functions`. */
#include "function-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct percentile percentiles[NR_PERCENTILES] = {
	{ 50, "p50" }, { 90, "p90" }, { 99, "p99" }, { 99.9, "p99.9" }
};

static int read_row(struct function_table *table, struct xp_functions *functions, int function)
{
	struct function_row *row = &table->rows[function];
	struct xp_calls *calls = &row->calls;
	int err;

	calls->size = sizeof(*calls);
	err = xp_functions_read(functions, function, calls);
	if (err)
		return err;
	table->nr++;
	table->left_out += calls->left_out;
	row->events = calloc((size_t)table->nr_events + 1, sizeof(*row->events));
	if (!row->events)
		return -ENOMEM;
	memcpy(row->events, calls->events, (size_t)table->nr_events * sizeof(*row->events));
	if (calls->timed)
		row->mean_ns = (double)calls->total_ns / (double)calls->timed;
	for (int i = 0; i < NR_PERCENTILES; i++)
		row->percentile_ns[i] = xp_calls_percentile(calls, percentiles[i].percent);
	for (int i = 0; i < NR_POWERS; i++)
		row->powers[i] = xp_calls_between(calls, i);
	calls->events = NULL;
	calls->buckets = NULL;
	return 0;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_time(const void *a, const void *b)
{
	const struct xp_calls *x = &((const struct function_row *)a)->calls;
	const struct xp_calls *y = &((const struct function_row *)b)->calls;
	int order = by_number(x->total_ns, y->total_ns) ?: by_number(x->calls, y->calls);

	return order ?: strcmp(x->name, y->name) ?: strcmp(x->file, y->file);
}

int function_table_read(struct function_table *table, struct xp_functions *functions)
{
	int nr = xp_functions_nr(functions), err = 0;

	table->rows = calloc((size_t)nr, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	for (int i = 0; i < nr && !err; i++)
		err = read_row(table, functions, i);
	if (err)
		return err;
	for (int i = 1; i < nr; i++)
		table->many_files |=
			strcmp(table->rows[i].calls.file, table->rows[0].calls.file) != 0;
	qsort(table->rows, (size_t)nr, sizeof(*table->rows), by_time);
	return 0;
}

void function_table_fini(struct function_table *table)
{
	for (int i = 0; i < table->nr; i++)
		free(table->rows[i].events);
	free(table->rows);
}
