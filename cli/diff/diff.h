/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf diff` share: the options, and what was found to compare. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include <stdio.h>
#include <xperf/profile.h>
#include <xperf/stat.h>

#include "cli.h"
#include "escape.h"
#include "recording.h"

enum { MAX_FILES = 256, MAX_KEYS = 8 };

enum compute { COMPUTE_DELTA_ABS, COMPUTE_DELTA, COMPUTE_RATIO, COMPUTE_WDIFF };

struct values {
	enum compute compute;
	int64_t weights[2];         /* of wdiff: the baseline's, the other's */
	struct recording_opts read; /* but for its input */
	const char *sort, *separator, *percentage, *html;
	int order;
	bool quiet, period, formula, baseline_only, modules, json, normalize;
	int verbose;
};

/* A file and whose it is: the baseline's, side 0, or one that is compared with it. */
struct source {
	char *path;
	int side;
};

/* Of all files of a side. @nr: files that have the row */
struct share {
	struct xp_stats stats; /* percent, of each file */
	uint64_t period, total;
	int nr;
};

/*
 * A row of one side against the baseline; only what @has_... says is there.
 * @value: what was computed, in the terms of the columns
 * @low, @high: 95 % of the difference of the shares lie between
 */
struct change {
	bool has_value, has_interval;
	double value, low, high;
};

/* @text: all cells, with a NUL behind each. @shares, @changes: by side; there is no change of the
 * baseline */
struct diff_row {
	struct diff_row *next; /* of the same hash */
	char *text;
	size_t len;
	const char *cells[MAX_KEYS];
	uint64_t *periods; /* by file */
	struct share *shares;
	struct change *changes;
};

struct diff_event {
	char *name;
	struct diff_row **rows; /* sorted, once they are computed */
	size_t nr;
	struct diff_row **slots; /* by hash; a power of two */
	size_t nr_slots;
	uint64_t seed;    /* of hashes */
	uint64_t *totals; /* by file */
	bool *is_there;   /* whether a file has the event */
};

struct diff {
	const struct values *values;
	struct source *sources;
	int nr_sources, nr_sides;
	enum xp_key keys[MAX_KEYS];
	int nr_keys;
	bool normalize, has_intervals;
	bool relative; /* shares are of what the filters leave */
	struct diff_event *events;
	int nr_events;
};

/* files.c: the command line's files. "A,B" are two of one side, unless there is a file of that
 * name. Print what is wrong; return 0 or -1. */
int sources_parse(struct diff *diff, int argc, char **argv);
/* Returns the exit status of a file that is damaged or, *ret_failed, cannot be read; 0. */
int sources_read(const struct cli *cli, struct diff *diff, bool *ret_failed);

/* rows.c: the rows of all files by what names them. Return 0 or -ENOMEM. */
int event_find(struct diff *diff, const char *name, struct diff_event **ret_event);
int row_add(struct diff *diff, struct diff_event *event, int file,
	    const struct xp_profile_row *row);
void diff_fini(struct diff *diff);

/* compute.c: shares, changes and their order. */
void diff_compute(struct diff *diff);
/* With --baseline-only, the baseline and another side must have the row. */
bool diff_row_is_shown(const struct diff *diff, const struct diff_row *row);

/* renamed.c: a hint, where functions are in files of other names. */
void diff_hint_renamed(const struct diff *diff);

/* names.c: a name without what compilers and versions add: of a function, of a file. Cuts the
 * text. */
void normalize_function(char *name);
void normalize_file(char *name);

/* text.c, json.c */
void diff_print(const struct diff *diff);
void diff_print_json(const struct diff *diff);

#endif
