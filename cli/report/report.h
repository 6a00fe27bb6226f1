/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf report` share: options as parsed, and the recording once it is read. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <xperf/data.h>
#include <xperf/profile.h>

#include "cli.h"
#include "escape.h"
#include "input.h"
#include "rounds.h"

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

/* A comma-separated list of words; NULL text: everything is wanted. */
struct words {
	char *text; /* words with NUL behind each */
	size_t len;
};

struct values {
	const char *input;
	const char *sort, *fields;
	const char *separator, *widths;
	const char *comms, *dsos, *symbols, *pids, *tids, *cpus, *time;
	const char *percentage;
	double percent_limit; /* of rows */
	const char *symfs, *vmlinux, *kallsyms;
	char symfs_dir[PATH_MAX];
	bool debuginfod;
	bool force, quiet, stdio, samples, period, no_children, children, inverted;
	bool header, header_only, full_header, stats, tasks, mmaps, json, no_demangle,
		demangle_kernel;
	bool group, no_group, branches, no_branches, branch_history, dump;
	bool thread_counts, hide_unresolved, tui, gtk, inlines, no_inlines, full_paths, hierarchy;
	bool show_ns, exclude_other, raw_trace, cpu_utilization, latency, no_vmlinux, show_empty;
	bool show_on_off, symfs_flat, raw_counts, color, mem_mode, total_cycles;
	bool show_references;
	bool ignored; /* by options that change nothing here */
	const char *symbol_filter, *parent, *quantum, *roots, *switch_on, *switch_off;
	const char *socket, *parallelism;
	int max_stack, verbose, threads, group_leader;
	struct graph graph;
};

/* What rows are told apart by, beside enum xp_key: what is found in each sample. */
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
	EXTRA_OP, /* of memory: what was done, and where the data came from */
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
	int *leaders; /* per event; itself outside of groups */
	struct graph graph;
	struct words comms, dsos, symbols;
	struct words pids, tids;
	struct xp_cpus *cpus;
	struct time_slices *slices;
	uint64_t quantum_ns;    /* of EXTRA_TIME */
	regex_t *parent;        /* NULL: the usual one is not needed */
	regex_t *roots;         /* NULL: no callees are ignored */
	bool branch_history;    /* call chains begin with the last branches */
	bool is_misused;        /* what failed is what the user has asked for */
	bool latency;           /* is asked for, by a key or an option */
	bool parallelism;       /* is */
	struct xp_cpus *levels; /* of parallelism that count; NULL: all */
	bool *cpus_of_socket;   /* that count; NULL: all */
	int nr_cpus_of_socket;
	struct switches *switches;
	struct trace_fields *fields;
	const struct recording *rec;
};

/* Sums over all records. */
struct tally {
	uint64_t records[RECORD_TYPES];
	uint64_t total;
	uint64_t lost_samples; /* LOST_SAMPLES */
	uint64_t lost_records; /* LOST */
	uint64_t throttled;
	uint64_t strangers;         /* samples of no event that is known */
	uint64_t first_ns, last_ns; /* of samples; XP_NO_TIME: none */
	uint64_t doubtful;          /* samples whose name may be wrong: rounds.h */
	double counted; /* the least share of the time that an event was on a counter; 1: all of it
			 */
};

struct progress {
	int64_t start_ms;
	uint64_t nr, bytes; /* records; of the file, 0: nobody watches */
	bool shown;
};

struct recording {
	struct input input;
	struct rounds rounds;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
	struct extras *extras; /* NULL: none is shown */
	struct blocks *blocks; /* NULL: those are not asked for */
	struct readings *readings;
	struct tally tally;
	uint64_t *samples, *lost; /* per event; the first for --stats only */
	int nr_events;
	bool without_times;                  /* of its samples */
	struct thread_counts *thread_counts; /* NULL: there are none */
	struct xp_traces *traces;            /* NULL: not read yet, or there are none */
	struct running *running;             /* NULL: no context switches are known */
	struct xp_lbr_chain lbr;
	struct progress progress;
};

/* load.c: reads the events of a stream, which come with the records. */
int load_events(struct recording *rec);
/* Reads the side band; then the samples. Return 0 or a negative errno. */
int load_open(const struct cli *cli, struct recording *rec, const struct values *values);
int load_index(struct recording *rec, struct plan *plan, bool with_profile);
/* aggregate.c: makes what samples are added to; adds them. Return likewise. */
int profile_make(struct recording *rec, struct plan *plan);
/* The time to look up for the record that was read last. */
uint64_t recording_moment(const struct recording *rec, uint64_t time_ns);
int load_aggregate(struct recording *rec, const struct plan *plan);
void load_close(struct recording *rec);
/* The event of a record; -1: none that is known. */
int load_event_of(const struct recording *rec, const struct xp_record *record);
/* True if an event records call chains. */
bool load_has_chains(const struct recording *rec);

/* plan.c. Print what is wrong. Returns 0 or -1. */
int plan_make(struct plan *plan, const struct values *values);
/* What depends on the recording. Returns 0 or a negative errno. */
int plan_settle(struct plan *plan, struct recording *rec);
/* How many events are shown as one with @event, which leads them; their samples. */
int plan_members(const struct plan *plan, const struct recording *rec, int event);
uint64_t plan_samples(const struct plan *plan, const struct recording *rec, int event);
void plan_fini(struct plan *plan);

/* words.c: splits "a,b"; "file://NAME" is a file with one word per line. Returns 0 or -1, having
 * printed what is wrong. */
int words_read(const char *option, const char *list, struct words *words);
/* The same where each word must be a number, 0 or more. */
int words_read_numbers(const char *option, const char *list, struct words *words);
bool words_have(const struct words *words, const char *word);
bool words_have_number(const struct words *words, int32_t number);
bool plan_keeps(const struct xp_profile_row *row, void *plan);
/* Whether a place is of the files and functions that are wanted. */
bool plan_keeps_frame(const struct plan *plan, const struct xp_frame *frame);
/* Whether rows stand for functions. */
bool plan_has_functions(const struct plan *plan);
/* Whether the function of a row is one of --symbol-filter. */
bool plan_shows(const struct xp_profile_row *row, void *plan);
bool graph_parse(const char *text, struct graph *graph);

/* progress.c: for who waits at a terminal. */
void progress_start(struct recording *rec);
void progress_step(struct recording *rec);
void progress_end(struct recording *rec);

/* threads.c: READ records. Returns 0 or -ENOMEM. */
int threads_note(struct recording *rec, const struct xp_record *record);
/* @is_raw: a row per thread and event, not a table. */
void threads_print(FILE *file, const struct recording *rec, bool is_raw);
void threads_free(struct thread_counts *counts);

/* keys.c */
/* Makes keys and columns for a recording. Returns 0, -ENOMEM, or -EINVAL with the reason in @rec.
 */
int keys_settle(struct plan *plan, struct recording *rec);
bool keys_have(const struct plan *plan, int column);
/* The keys without -s. */
const char *keys_default(const struct plan *plan, const struct recording *rec);
/* The key as the user knows it, in an event. */
const char *key_name(const struct plan *plan, int key, int event);

/* Bytes of a row's function or file, by XP_KEY_SYMBOL_SIZE or XP_KEY_DSO_SIZE. Returns false if
 * they are not known. */
bool key_size(const struct xp_profile_row *row, int key, uint64_t *ret_size);

/* load.c: reads what tracepoints look like, once. Returns 0 or a negative errno: it is not known.
 */
int recording_traces(struct recording *rec);

/* trace-fields.c: the columns that a name stands for. Returns how many, 0: it is no field, or
 * -ENOMEM. */
int trace_fields_find(struct plan *plan, struct recording *rec, const char *text, size_t len,
		      int columns[MAX_FIELDS]);
const char *trace_field_name(const struct plan *plan, int column, int event);
/* The least width of the column in an event; 0: it has no such field. */
int trace_field_width(const struct plan *plan, int column, int event);
/* What a sample holds, behind what it is put in order by and a blank; valid until the next call. */
const char *trace_field_value(struct recording *rec, const struct plan *plan, int column, int event,
			      const struct xp_sample *sample);
void trace_fields_free(struct trace_fields *fields);

/* parallelism.c: takes in context switches. Returns 0 or -ENOMEM. */
int parallelism_note(struct running **running, const struct xp_record *record,
		     const struct xp_sample_id *id);
/* After the last. Returns false: there were none. */
bool parallelism_count(struct running *running);
/* How many threads ran; at least 1. */
uint64_t parallelism_at(const struct running *running, uint64_t time_ns);
void parallelism_free(struct running *running);

/* switches.c: leaves *ret_switches alone if there is nothing to switch. Returns 0, -ENOMEM, or
 * -EINVAL with the reason in @rec. */
int switches_new(struct recording *rec, const struct values *values,
		 struct switches **ret_switches);
/* The next three take NULL. Returns 0 or -ENOMEM. */
int switches_note(struct switches *switches, int event, uint64_t time_ns);
void switches_settle(struct switches *switches);
bool switches_have(const struct switches *switches, int event, uint64_t time_ns);
void switches_free(struct switches *switches);

/* extras.c: what samples hold that the profile knows nothing of. */
int extras_new(struct recording *rec, const struct plan *plan, struct extras **ret_extras);
void extras_free(struct extras *extras);
/* CGROUP and NAMESPACES records; NULL is allowed. Returns 0 or -ENOMEM. */
int extras_note(struct extras *extras, const struct xp_record *record, uint64_t time_ns);
/* The number that stands for what a sample, or one of its branches, holds. Returns it or -ENOMEM.
 */
int64_t extras_tag(struct extras *extras, int event, const struct xp_sample *sample,
		   const struct xp_branch *branch);
/* The part of a period that passed as time. */
uint64_t extras_latency(uint32_t tag, uint64_t period, void *extras);
int extras_compare(uint32_t a, uint32_t b, void *extras);
/* The same by one column. */
int extras_compare_column(const struct extras *extras, uint32_t a, uint32_t b, int column);
/* What a row holds, as text; valid until the next call. */
const char *extras_text(struct extras *extras, const struct xp_profile_row *row, int column);

/* blocks.c: the cycles between branches. Return 0 or -ENOMEM. */
int blocks_new(struct recording *rec, const struct plan *plan, struct blocks **ret_blocks);
int blocks_add(struct blocks *blocks, int event, const struct xp_sample *sample);
void blocks_print(FILE *file, struct blocks *blocks, int event);
/* NULL is allowed. */
void blocks_free(struct blocks *blocks);

/* slices.c: "--time". Returns NULL after printing what is wrong. */
struct time_slices *slices_parse(const char *text);
bool slices_need_bounds(const struct time_slices *slices);
bool slices_have(const struct time_slices *slices, uint64_t time_ns);
void slices_settle(struct time_slices *slices, uint64_t first_ns, uint64_t last_ns);
void slices_free(struct time_slices *slices);

/* columns-sums.c: what begins and ends the colour of a share, with --stdio-color; "": nothing. */
const char *share_color(const struct values *values, double percent);
const char *share_color_end(const struct values *values, double percent);

/* Renderers: one file each. */
void stdio_print(FILE *file, struct recording *rec, const struct plan *plan);
/* Whether there can be anything to draw below a row. */
bool graph_can_show(const struct plan *plan, uint64_t total, uint64_t row_period);
void graph_print(FILE *file, const struct xp_chain *root, const struct plan *plan, uint64_t total,
		 uint64_t row_period);
void json_print(FILE *file, struct recording *rec, const struct plan *plan);
/* @with_empty: events without samples, too. */
void stats_print(FILE *file, const struct recording *rec, bool with_empty);
void tasks_print(FILE *file, const struct recording *rec);
void mmaps_print(FILE *file, const struct recording *rec);
void quality_print(FILE *file, const struct recording *rec);

#endif
