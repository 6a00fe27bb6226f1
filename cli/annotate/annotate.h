/* SPDX-License-Identifier: MIT */
/* Inside `xperf annotate`. */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include "heat.h"
#include "interleave.h"
#include "option-parse.h"
#include "options.h"
#include "sink.h"

struct code_lines;
struct xp_diag;

/* What a column shows. */
enum shown { SHOWN_PERCENT, SHOWN_SAMPLES, SHOWN_PERIOD };

struct values {
	struct recording_opts read;
	const struct percent_type *percent_type;
	struct source_prefix prefix;
	const char *not_available; /* view that was asked for: "tui"; NULL: none */
	double percent_limit;
	bool samples, period, no_source, raw, lines, group, no_group;
	bool intel, full_paths, skip_missing, quiet, color, ignored;
	bool stdio;
	int verbose;
};

/* --- set.c --- */

/* Events that are shown side by side. */
struct event_set {
	int *events;
	int nr;
};

/* The sets of a recording, in the order of their first events. Returns 0 with the caller's to free
 * with event_sets_free(), or -ENOMEM. */
int event_sets_make(const struct recording *rec, const struct values *values,
		    struct event_set **ret_sets, size_t *ret_nr);
void event_sets_free(struct event_set *sets, size_t nr);
/* Functions with samples of a set, the hottest first. Returns their number; @ret has room for all.
 */
size_t event_set_functions(const struct event_set *set, const struct heat *heat,
			   const struct hot_function **ret);

/* --- stdio.c --- */

struct annotation {
	const struct values *values;
	const struct recording *rec;
	const struct heat *heat;
	const struct event_set *set;
	const struct hot_function *function;
	const struct code *code;
	struct interleaving *source;
	struct sink *out;
	size_t *starts; /* of each instruction its line in @out, a byte; NULL: nobody asks */
};

/* Prints a function. Returns 0 or -ENOMEM. */
int annotation_print(const struct annotation *annotation);
/* The share of a sum of a function, in percent. */
double annotation_share(const struct annotation *annotation, int event, const struct heat_sum *sum);

/* --- function.c --- */

/* Reads the code of @annotation->function and prints it, with an end, into @annotation->out, which
 * is empty and keeps it; @ret_lines is the caller's to free. Returns as code_read(). */
int annotation_print_lines(struct annotation *annotation, struct code_lines *ret_lines,
			   struct xp_diag *diag);

/* --- browse.c --- */

/* Says if functions are browsed instead of printed. */
bool annotate_is_browsed(const struct values *values);
/* Lets the user look at functions, the hottest first. @like: without what is of one of them.
 * Returns 0, -ENODATA (none can be shown: @diag says why, or there are none), or another negative
 * errno with @diag filled. */
int annotate_browse(const struct annotation *like, struct xp_diag *diag);

/* --- summary.c --- */

/* Prints the hottest lines of source of a function. Returns 0 or -ENOMEM. */
int summary_print(const struct annotation *annotation);
/* "file.c:12", or with the whole path. */
void summary_place(const struct annotation *annotation, const struct code_line *line);

#endif
