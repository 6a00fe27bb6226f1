/* SPDX-License-Identifier: MIT */
/* What `xperf stat --functions` shows, computed once; formats are renderers of it. */
#ifndef CLI_STAT_FUNCTION_TABLE_H
#define CLI_STAT_FUNCTION_TABLE_H

#include <stdio.h>
#include <xperf/functions.h>

#include "sink.h"

/* The percentiles that are shown. */
enum { NR_PERCENTILES = 4, NR_POWERS = 42 };

struct percentile {
	double percent;
	const char *name; /* "p99.9" */
};

extern const struct percentile percentiles[NR_PERCENTILES];

/* One function. Times are nanoseconds; those of calls without times are 0. */
struct function_row {
	struct xp_calls calls; /* without what is lent but names */
	double mean_ns;
	uint64_t percentile_ns[NR_PERCENTILES]; /* 0: not known */
	uint64_t powers[NR_POWERS];             /* calls that took 2^i ns, to twice as long */
	struct xp_call_event *events;
};

struct function_table {
	struct function_row *rows; /* those that took the most time come first */
	int nr;
	const struct xp_evlist *evlist; /* NULL: no events */
	int nr_events;
	const char *title;
	double elapsed_s;
	bool many_files;
	uint64_t left_out; /* calls of all functions */
	bool verbose;
	bool big_num;
	const char *separator; /* of CSV */
};

/* Returns 0 or a negative errno. */
int function_table_read(struct function_table *table, struct xp_functions *functions);
void function_table_fini(struct function_table *table);

/* Each writes the whole table. Returns 0 or a negative errno. */
int function_text(const struct function_table *table, FILE *out);
int function_csv(const struct function_table *table, FILE *out);
int function_json(const struct function_table *table, FILE *out);
int function_document(const struct function_table *table, FILE *out);

#endif
