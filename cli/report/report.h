/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf report` share: options as parsed, and what the recording comes to. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <xperf/profile.h>

#include "cli.h"
#include "escape.h"
#include "recording.h"

struct xp_branch;
struct xp_chain_ends;
struct xp_cpus;
struct xp_data_event;
struct xp_profile;
struct xp_record;
struct xp_sample;
struct xp_sample_id;

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
	bool by_address, by_line;
	bool branches; /* in front of call chains, where some were recorded */
	bool is_given; /* by -g */
};

/* What is counted: rows, and which samples they are made of. */
struct count_opts {
	const char *sort, *default_sort, *percentage, *quantum;
	const char *parent, *roots, *symbol_filter;
	const char *socket, *parallelism;
	bool children, no_children;
	bool branches, no_branches, branch_history, mem_mode, total_cycles, latency;
	bool group, no_group;
	bool as_perf; /* nothing that perf does not show */
	bool hide_unresolved, exclude_other, raw_trace;
	bool merge_unknown; /* in the browser */
	bool no_inlines, full_paths;
	int max_stack, group_leader;
};

/* How it is shown. */
struct show_opts {
	const char *fields, *separator, *widths, *format;
	double percent_limit; /* of rows */
	struct graph graph;
	bool header, header_only, full_header;
	bool stats, tasks, mmaps, json, dump, stdio, tui, gtk; /* other views than rows */
	bool syscalls, sched, all_threads;
	bool quiet, samples, period, cpu_utilization, thread_counts, raw_counts, show_empty;
	bool hierarchy, inverted, show_references, show_ns, color;
	bool text_by_default, hide_headings; /* of the browser */
	const char *without_effect[16]; /* options that change nothing here; the last is NULL */
	int verbose;
};

/* The options as they were given. */
struct values {
	struct recording_opts read;
	struct count_opts count;
	struct show_opts show;
};

/* What rows are distinguished by, beside enum xp_key: what is found in each sample. */
enum extra {
	EXTRA_TRACE = XP_NR_KEYS, /* what a tracepoint says */
	EXTRA_TIME,
	EXTRA_SOCKET,
	EXTRA_CGROUP,
	EXTRA_WEIGHT,
	EXTRA_LOCAL_WEIGHT,
	EXTRA_CYCLES,
	EXTRA_MISPREDICT,
	EXTRA_ABORT,
	EXTRA_IN_TX,
	EXTRA_CGROUP_ID,
	EXTRA_TRANSACTION,
	EXTRA_CODE_PAGE_SIZE,
	EXTRA_DATA_PAGE_SIZE,
	EXTRA_PHYSICAL,
	EXTRA_INS_LAT,
	EXTRA_LOCAL_INS_LAT,
	EXTRA_RETIRE_LAT,
	EXTRA_LOCAL_RETIRE_LAT,
	EXTRA_STAGE_CYCLES,
	EXTRA_LOCAL_STAGE_CYCLES,
	EXTRA_WEIGHT1, /* parts of the weight, whatever they mean on a machine */
	EXTRA_WEIGHT2,
	EXTRA_WEIGHT3,
	EXTRA_PARALLELISM,
	EXTRA_PLAIN_COMM,
	EXTRA_WAKER, /* who ended a wait */
	EXTRA_OP,    /* of memory: what was done, and where the data came from */
	EXTRA_MEM,
	EXTRA_SNOOP,
	EXTRA_TLB,
	EXTRA_LOCKED,
	EXTRA_BLOCKED,
	EXTRA_DATA_SYMBOL,
	EXTRA_DATA_DSO,
	EXTRA_CODE_SYMBOL,
	EXTRA_CACHE_LINE,
	EXTRA_FROM, /* of branches: addresses */
	EXTRA_TO,
	SPLIT_OP, /* numbers of rows (numbers.h), of where data came from */
	SPLIT_CACHE,
	SPLIT_MEMORY,
	SPLIT_SNOOP,
	SPLIT_DTLB,
	BRANCHES_PREDICTED, /* and of the branches of samples */
	BRANCHES_ABORTED,
	BRANCHES_CYCLES,
	EXTRA_FIELD, /* the first field of tracepoints that was asked for */
	NR_COLUMNS = EXTRA_FIELD + 24,
};

enum { MAX_COLUMNS = NR_COLUMNS, MAX_FIELDS = NR_COLUMNS - EXTRA_FIELD, RECORD_TYPES = 96 };

/* What was asked for, checked. A key, or column, is an enum xp_key or an enum extra. */
struct plan {
	const struct values *values;
	int keys[MAX_COLUMNS];
	int nr_keys;
	int columns[MAX_COLUMNS];
	int nr_columns;
	int widths[MAX_COLUMNS];
	bool children, with_chains, relative, symbol_first, branches;
	bool grouped, forced_group;
	bool with_waits; /* rows have the time on and off CPUs, of two events */
	int *leaders;    /* per event; itself outside of groups */
	struct graph graph;
	uint64_t quantum_ns;    /* of EXTRA_TIME */
	regex_t *parent;        /* NULL: the usual one is not needed */
	regex_t *roots;         /* NULL: no callees are ignored */
	bool branch_history;    /* call chains begin with the last branches */
	bool is_misused;        /* what failed is what the user has asked for */
	bool latency;           /* is asked for, by a key or an option */
	bool parallelism;       /* is */
	bool has_numbers;       /* of numbers.h */
	struct xp_cpus *levels; /* of parallelism that count; NULL: all */
	bool *cpus_of_socket;   /* that count; NULL: all */
	int nr_cpus_of_socket;
	struct trace_fields *fields;
	const struct report *report;
};

/* Sums over all records. */
struct tally {
	uint64_t records[RECORD_TYPES];
	uint64_t total;
	uint64_t lost_samples; /* LOST_SAMPLES */
	uint64_t lost_records; /* LOST */
	uint64_t throttled;
	double counted; /* the least share of the time that an event was on a counter; 1: all of it
			 */
};

struct report {
	struct recording rec;
	struct xp_profile *profile;
	struct extras *extras; /* NULL: none is shown */
	struct blocks *blocks; /* NULL: those are not asked for */
	struct readings *readings;
	struct tally tally;
	struct xp_chain_ends *chain_ends;    /* NULL: the samples are not counted */
	uint64_t *samples, *lost;            /* per event; the first for --stats only */
	struct thread_counts *thread_counts; /* NULL: there are none */
	struct running *running;             /* NULL: no context switches are known */
	struct wakers *wakers;               /* NULL: are not asked for */
};

/* load.c: reads the side band; then the samples. Return 0 or a negative errno. */
int load_open(const struct cli *cli, struct report *report, const struct values *values);
int load_index(struct report *report, struct plan *plan, bool with_profile);
/* aggregate.c: makes what samples are added to; adds them. Return likewise. */
int profile_make(struct report *report, struct plan *plan);
int load_aggregate(struct report *report, const struct plan *plan);
/* Frees all but the recording. */
void load_fini(struct report *report);
/* True if an event records call chains. */
bool load_has_chains(const struct report *report);

/* plan.c. Print what is wrong. Returns 0 or -1. */
int plan_make(struct plan *plan, const struct values *values);
/* What depends on the recording. Returns 0 or a negative errno. */
int plan_finalize(struct plan *plan, struct report *report);
/* How many events are shown as one with @event, which leads them; their samples. */
int plan_members(const struct plan *plan, const struct report *report, int event);
uint64_t plan_samples(const struct plan *plan, const struct report *report, int event);
void plan_fini(struct plan *plan);

bool plan_keeps(const struct xp_profile_row *row, void *plan);
/* Whether an event is that of waits, whose periods are their lengths in nanoseconds. */
bool plan_is_wait(const struct xp_data_event *event);
/* wakers.c: whether an event is that of tasks being woken. */
bool plan_is_waking(const struct xp_data_event *event);
/* Whether rows stand for functions. */
bool plan_has_functions(const struct plan *plan);
/* Whether the function of a row is one of --symbol-filter. */
bool plan_shows(const struct xp_profile_row *row, void *plan);
bool graph_parse(const char *text, struct graph *graph);

/* threads.c: READ records. Returns 0 or -ENOMEM. */
int threads_note(struct report *report, const struct xp_record *record);
/* @is_raw: a row per thread and event, not a table. */
void threads_print(FILE *file, const struct report *report, bool is_raw);
void threads_free(struct thread_counts *counts);

/* keys.c */
/* Makes keys and columns for a recording. Returns 0, -ENOMEM, or -EINVAL with the reason in
 * @report.
 */
int keys_finalize(struct plan *plan, struct report *report);
bool keys_have(const struct plan *plan, int column);
/* The keys without -s. */
const char *keys_default(const struct plan *plan, const struct report *report);
/* The key as the user knows it, in an event. */
const char *key_name(const struct plan *plan, int key, int event);

/* Bytes of a row's function or file, by XP_KEY_SYMBOL_SIZE or XP_KEY_DSO_SIZE. Returns false if
 * they are not known. */
bool key_size(const struct xp_profile_row *row, int key, uint64_t *ret_size);

/* trace-fields.c: the columns that a name stands for. Returns how many, 0: it is no field, or
 * -ENOMEM. */
int trace_fields_find(struct plan *plan, struct report *report, const char *text, size_t len,
		      int columns[MAX_FIELDS]);
const char *trace_field_name(const struct plan *plan, int column, int event);
/* The least width of the column in an event; 0: it has no such field. */
int trace_field_width(const struct plan *plan, int column, int event);
/* What a sample holds, behind what it is put in order by and a blank; valid until the next call. */
const char *trace_field_value(struct report *report, const struct plan *plan, int column, int event,
			      const struct xp_sample *sample);
void trace_fields_free(struct trace_fields *fields);

/* parallelism.c: adds context switches. Returns 0 or -ENOMEM. */
int parallelism_note(struct running **running, const struct xp_record *record,
		     const struct xp_sample_id *id);
/* After the last. Returns false: there were none. */
bool parallelism_count(struct running *running);
/* How many threads ran; at least 1. */
uint64_t parallelism_at(const struct running *running, uint64_t time_ns);
void parallelism_free(struct running *running);

/* wakers.c: reads who woke whom. Returns 0 or a negative errno. */
int wakers_load(struct report *report);
/* Who ended a wait of a thread, as text; NULL: that was not recorded. */
const char *wakers_find(const struct wakers *wakers, int32_t tid, uint64_t begin_ns,
			uint64_t end_ns);
/* NULL is allowed. */
void wakers_free(struct wakers *wakers);

/* extras.c: what samples hold that the profile knows nothing of. */
int extras_new(struct report *report, const struct plan *plan, struct extras **ret_extras);
void extras_free(struct extras *extras);
/* NAMESPACES records; NULL is allowed. Returns 0 or -ENOMEM. */
int extras_note(struct extras *extras, const struct xp_record *record, uint64_t time_ns);
/* The number that stands for what a sample, or one of its branches, holds. Returns it or -ENOMEM.
 */
int64_t extras_tag(struct extras *extras, int event, const struct xp_sample *sample,
		   const struct xp_branch *branch);
/* The part of a period that passed as time. */
uint64_t extras_latency(uint32_t tag, uint64_t period, void *extras);
int extras_compare(uint32_t a, uint32_t b, void *extras);
/* The tag without what no row is distinguished by, and that added to the numbers of a row. */
uint32_t extras_row_tag(uint32_t tag, void *extras);
void extras_add_numbers(uint32_t tag, const struct xp_profile_sum *sum, uint64_t *numbers,
			void *extras);
/* The same by one column. */
int extras_compare_column(const struct extras *extras, uint32_t a, uint32_t b, int column);
/* What a row holds, as text; valid until the next call. */
const char *extras_text(struct extras *extras, const struct xp_profile_row *row, int column);

/* blocks.c: the cycles between branches. Return 0 or -ENOMEM. */
int blocks_new(struct report *report, const struct plan *plan, struct blocks **ret_blocks);
int blocks_add(struct blocks *blocks, int event, const struct xp_sample *sample);
void blocks_print(FILE *file, struct blocks *blocks, int event);
/* NULL is allowed. */
void blocks_free(struct blocks *blocks);

/* columns-sums.c: what begins and ends the colour of a share, with --stdio-color; "": nothing. */
const char *share_color(const struct values *values, double percent);
const char *share_color_end(const struct values *values, double percent);

/* report.c: prints why there are no rows, if that is so: nothing to see is easily taken for nothing
 * recorded. */
void report_nothing_shown(const struct report *report, const struct plan *plan);

/* Renderers: one file each. */
void stdio_print(FILE *file, struct report *report, const struct plan *plan);
/* Whether there can be anything to draw below a row. */
bool graph_can_show(const struct plan *plan, uint64_t total, uint64_t row_period);
void graph_print(FILE *file, const struct xp_chain *root, const struct plan *plan, uint64_t total,
		 const struct xp_profile_row *row, uint64_t row_period);
/* One of its locations; and the first of @chain and its siblings that is heavy enough. */
void graph_put_frame(FILE *file, const struct plan *plan, const struct xp_chain *chain, int idx);
const struct xp_chain *graph_shown(const struct plan *plan, const struct xp_chain *chain,
				   uint64_t total);
void json_print(FILE *file, struct report *report, const struct plan *plan);
/* @with_empty: events without samples, too. */
void stats_print(FILE *file, const struct report *report, bool with_empty);
void tasks_print(FILE *file, const struct report *report);
void mmaps_print(FILE *file, const struct report *report);
void quality_print(FILE *file, const struct report *report);

#endif
