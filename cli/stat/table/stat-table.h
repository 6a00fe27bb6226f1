/* SPDX-License-Identifier: MIT */
/*
 * What `xperf stat` shows, as values: computed once (table.c), printed by a renderer (text.c,
 * csv.c, json.c) that computes nothing.
 */
#ifndef CLI_STAT_STAT_TABLE_H
#define CLI_STAT_STAT_TABLE_H

#include <stdio.h>
#include <xperf/stat.h>

struct iostat;
struct number_format;
struct named_metrics;
struct named_value;
struct xp_metric_def;

/* A row whose share of counter time is below this is marked unreliable, percent. */
#define UNRELIABLE_BELOW_PCT 10.0

enum row_state { ROW_COUNTED, ROW_NOT_COUNTED, ROW_NOT_SUPPORTED };

/* A metric beside an event. */
struct row_metric {
	struct xp_metric shown;          /* without a value, its unit alone */
	const struct xp_metric_def *def; /* of -M; NULL: it is one of the event */
	const char *threshold;           /* "good", "bad", "unknown"; NULL: it has none */
	const char *reason;              /* why it has no value; NULL: it has one */
};

/* One event in one aggregate. */
struct stat_row {
	const struct xp_evsel *evsel; /* the first of those that are merged */
	const char *name;
	const struct xp_aggr_id *id;
	enum row_state state;
	bool by_core;                 /* @id is a core's, though the rows of others are CPUs' */
	int nr_cpus;                  /* shown behind a socket, die, core or node */
	double value;                 /* in the event's unit; mean over runs */
	uint64_t raw;                 /* as it was read, the sum over runs */
	const struct xp_stats *stats; /* of the runs, not in the event's unit; the table's */
	double noise_pct;    /* standard error of the mean over runs, percent; with -r only */
	uint64_t enabled_ns; /* mean over runs */
	uint64_t running_ns; /* mean over runs */
	int nr_metrics;
	struct row_metric *metrics; /* the table's */
	bool of_metric;    /* beside it, or beside the same event of another PMU, is a metric */
	const char *group; /* its metrics are shown under this name, without a count; NULL: it is
			    * the event's row */
};

/* With --metric-only: one metric. */
struct metric_column {
	int event;        /* that it is shown beside */
	int metric;       /* position of a metric by name; -1: it is one of the event */
	const char *unit; /* of the event's: which one */
	char *title;
};

/* With --metric-only: one aggregate, or one root port. */
struct metric_line {
	struct stat_row row;        /* which one it is */
	const char *port;           /* NULL: it is an aggregate */
	struct row_metric *metrics; /* by column */
};

/* How the table is written. */
struct stat_style {
	FILE *out;
	enum { STYLE_TEXT, STYLE_CSV, STYLE_JSON } format;
	const char *separator; /* CSV */
	bool big_num;          /* group digits by the user's locale */
	bool null_run;         /* --null */
	bool clears;           /* clear the terminal before each interval */
	bool csv_summary;      /* mark summary rows of -I --summary in CSV */
	bool color;
	bool metric_only;
	bool perf7;     /* widths and keys of perf 7 */
	bool trims;     /* text without blanks at the end of rows, which a terminal would break */
	int unit_width; /* least width of the unit column; the table may need more */
	const struct number_format *numbers; /* of text; NULL: as the user's environment says */
};

/* What was added for one event in one aggregate, see table.c. */
struct stat_cell;

/* Everything shown at one moment: the end of a run, the end of all runs, or one interval. */
struct stat_table {
	const struct xp_evlist *evlist;
	const struct xp_aggr *aggr;
	int nr_rows;
	struct stat_row *rows; /* in the order they are printed */
	int unit_width;        /* of the unit column */

	bool is_interval;
	bool is_summary;      /* the totals behind the intervals */
	bool first_interval;  /* print the heading, too: the 1st, 26th, 51st ... as perf does */
	uint64_t interval_ns; /* time since counting began, for an interval */

	int nr_runs;             /* asked for with -r; 1 without */
	double *runs_s;          /* wall time of each run, where they are shown; else NULL */
	struct xp_stats elapsed; /* wall time of each run, seconds */
	bool has_times;          /* user and system time are known */
	double user_s;           /* mean over runs, seconds */
	double system_s;
	/* with rows per CPU: of events that are "percore"; NULL: they are as the others */
	const struct xp_aggr *cores;
	bool cores_by_cpu;    /* these are shown on each CPU, with the count of its core */
	bool no_merge;        /* events of several PMUs have a row each */
	bool counted_only;    /* rows of what was not counted are left out */
	bool hides_zero;      /* rows of 0 are left out */
	bool supported_only;  /* rows of what this machine cannot count are left out */
	bool no_own_metrics;  /* there are no metrics but those by name */
	bool rows_of_metrics; /* events without a metric have no row */

	const struct iostat
		*iostat; /* its columns are those of root ports; NULL: they are metrics */

	const char *title; /* "'ls -l'", "'system wide'", "process id '12'", ... as behind "for " */

	/* with --metric-only */
	struct metric_column *columns;
	int nr_columns;
	struct metric_line *lines;
	int nr_lines;

	const struct named_metrics *named; /* NULL: none */
	struct named_value *named_values;  /* by aggregate, then metric */

	/* private to table.c and table-metrics.c */
	struct xp_metrics *metrics;
	struct row_metric *row_metrics; /* of all rows */
	int row_metrics_max;            /* of one row */
	struct xp_total *totals;        /* of one aggregate, by event */
	struct stat_cell *cells;        /* by aggregate, then event */
};

/*
 * Makes an empty table for one or several runs' counts, after the list was opened. The list and the
 * plan are borrowed until stat_table_fini().
 * Returns 0 or -ENOMEM. @table is filled but for title, user and system time, what kind of moment
 * it shows (is_interval and so on), cores, no_merge and nr_runs (1), which are the caller's.
 */
int stat_table_init(struct stat_table *table, const struct xp_evlist *evlist,
		    const struct xp_aggr *aggr);

/*
 * Metrics by name, shown beside events; NULL: none. Borrowed. Returns 0 or -ENOMEM
 * (table-metrics.c).
 */
int stat_table_set_metrics(struct stat_table *table, const struct named_metrics *named);
/* Makes the table one of metrics alone, or of root ports. Returns likewise. */
int stat_table_metric_columns(struct stat_table *table);

/* Metrics by name: how many, which, and why one has no value in some row, or NULL. */
int stat_table_nr_named(const struct stat_table *table);
const struct xp_metric_def *stat_table_named(const struct stat_table *table, int metric);
const char *stat_table_named_reason(const struct stat_table *table, int metric);
/* True if it is beyond its threshold in some row. */
bool stat_table_named_is_bad(const struct stat_table *table, int metric);

/*
 * Adds the counts of one run (or interval): the rows' values are from then on the mean over all
 * runs added, their noise the standard error. @wall_ns goes into table->elapsed.
 * @scale: estimate multiplexed counts for the whole time; else show what was counted (--no-scale)
 */
void stat_table_add(struct stat_table *table, const struct xp_counts *counts, uint64_t wall_ns,
		    bool scale);

/* Keeps the time of one more run, to be shown with the others. Returns 0 or -ENOMEM. */
int stat_table_keep_run(struct stat_table *table, uint64_t wall_ns);

/* Ready to render: fills rows and metrics from what was added. */
void stat_table_finish(struct stat_table *table);

/* Forgets what was added, so that the table can serve the next interval. */
void stat_table_reset(struct stat_table *table);

void stat_table_fini(struct stat_table *table);

/* The event has rows of its own: it is not merged into another. */
bool stat_table_has_event(const struct stat_table *table, int event);

/* What an event is called in the table. */
const char *stat_table_name(const struct stat_table *table, int event);

/* Prints header, rows and footer in the style's format, by one write. Returns 0 or -errno. */
int stat_render(const struct stat_style *style, const struct stat_table *table);

#endif
