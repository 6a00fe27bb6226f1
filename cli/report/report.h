/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf report` share: options as parsed, and the recording once it is read. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>
#include <xperf/data.h>
#include <xperf/profile.h>

#include "cli.h"
#include "input.h"

enum graph_mode { GRAPH_NONE, GRAPH_GRAPH, GRAPH_FRACTAL, GRAPH_FLAT, GRAPH_FOLDED };
enum graph_value { VALUE_PERCENT, VALUE_PERIOD, VALUE_COUNT };

/* How call chains are shown. */
struct graph {
	enum graph_mode mode;
	enum graph_value value;
	double min_percent;
	int limit; /* entries per level; 0: all */
	bool callers_first;
	bool order_set;
	bool by_address;
	bool is_set;
};

/* A comma-separated list of words; NULL text: everything is wanted. */
struct words {
	char *text; /* words with NUL behind each */
	size_t len;
};

struct values {
	const char *input;
	const char *sort;
	const char *separator, *widths;
	const char *comms, *dsos, *symbols, *pids, *tids, *cpus, *time;
	const char *percentage, *percent_limit;
	const char *symfs, *vmlinux, *kallsyms;
	bool debuginfod;
	bool force, quiet, stdio, samples, period, no_children, children, inverted;
	bool header, header_only, stats, tasks, mmaps, json, no_demangle, demangle_kernel;
	int max_stack, verbose, threads;
	struct graph graph;
};

enum { MAX_COLUMNS = XP_NR_KEYS + 4, RECORD_TYPES = 96 };

/* What was asked for, checked. */
struct plan {
	const struct values *values;
	enum xp_key keys[MAX_COLUMNS];
	int nr_keys;
	enum xp_key columns[MAX_COLUMNS];
	int nr_columns;
	int widths[MAX_COLUMNS];
	bool children, with_chains, relative, symbol_first;
	double percent_limit;
	struct graph graph;
	struct words comms, dsos, symbols;
	struct words pids, tids;
	struct xp_cpus *cpus;
	struct time_slices *slices;
};

/* Sums over all records. */
struct tally {
	uint64_t records[RECORD_TYPES];
	uint64_t total;
	uint64_t lost_samples; /* LOST_SAMPLES */
	uint64_t lost_records; /* LOST */
	uint64_t throttled;
	uint64_t first_ns, last_ns; /* of samples; XP_NO_TIME: none */
};

struct recording {
	struct input input;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
	struct tally tally;
	uint64_t *samples; /* per event */
	int nr_events;
	bool without_times; /* of its samples */
};

/* load.c: reads the side band; then the samples. Return 0 or a negative errno. */
int load_open(const struct cli *cli, struct recording *rec, const struct values *values);
int load_index(struct recording *rec, struct plan *plan, bool with_profile);
int load_aggregate(struct recording *rec, const struct plan *plan);
void load_close(struct recording *rec);
/* True if an event records call chains. */
bool load_has_chains(const struct recording *rec);

/* plan.c. Print what is wrong. Returns 0 or -1. */
int plan_make(struct plan *plan, const struct values *values);
/* What depends on the recording. */
void plan_settle(struct plan *plan, const struct recording *rec);
void plan_fini(struct plan *plan);
bool words_have(const struct words *words, const char *word);
bool plan_keeps(const struct xp_profile_row *row, void *plan);
bool graph_parse(const char *text, struct graph *graph);

/* slices.c: "--time". Returns NULL after printing what is wrong. */
struct time_slices *slices_parse(const char *text);
bool slices_need_bounds(const struct time_slices *slices);
bool slices_have(const struct time_slices *slices, uint64_t time_ns);
void slices_settle(struct time_slices *slices, uint64_t first_ns, uint64_t last_ns);
void slices_free(struct time_slices *slices);

/* Renderers: one file each. */
void stdio_print(FILE *file, struct recording *rec, const struct plan *plan);
/* Whether there can be anything to draw below a row. */
bool graph_can_show(const struct plan *plan, uint64_t total, uint64_t row_period);
void graph_print(FILE *file, const struct xp_chain *root, const struct plan *plan, uint64_t total,
		 uint64_t row_period);
void json_print(FILE *file, struct recording *rec, const struct plan *plan);
void header_print(FILE *file, const struct recording *rec);
void stats_print(FILE *file, const struct recording *rec);
void tasks_print(FILE *file, const struct recording *rec);
int mmaps_print(FILE *file, struct recording *rec);
void quality_print(FILE *file, const struct recording *rec);

/* escape.c: the text, with what a terminal could be led astray by as "\x1b". Valid as long as the
 * program runs; the same pointer where nothing is to be done. */
const char *escaped(const char *text);

#endif
