/* SPDX-License-Identifier: MIT */
/* Inside `xperf annotate`. */
#ifndef ANNOTATE_ANNOTATE_H
#define ANNOTATE_ANNOTATE_H

#include <xperf/disasm.h>

#include "heat.h"
#include "option-parse.h"
#include "options.h"
#include "sink.h"
#include "source-files.h"

/* What a column shows. */
enum shown { SHOWN_PERCENT, SHOWN_SAMPLES, SHOWN_PERIOD };

struct values {
	struct recording_opts read;
	const struct percent_type *percent_type;
	const char *prefix;
	const char *not_available; /* view that was asked for: "tui"; NULL: none */
	double percent_limit;
	int prefix_strip;
	bool samples, period, no_source, raw, lines, group, no_group;
	bool intel, full_paths, skip_missing, quiet, color, ignored;
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

/* --- code.c --- */

/* @text: where it begins in the text of all; @file: NULL: not known. @function: what is inlined
 * there; NULL: the function itself, or not known */
struct code_line {
	uint64_t address, target;
	size_t text;
	const char *file, *function;
	uint32_t line, len;
	enum xp_instruction_kind kind;
};

/* A function's instructions. */
struct code {
	struct code_line *at;
	size_t nr, room;
	struct sink text;
	uint8_t *bytes;
	size_t len;
	int machine;
};

/*
 * Reads and disassembles a function. @with_lines: with lines of source
 * Returns 0, -ENODATA (its code is not there), -ENOTSUP (not of this machine), -ENOSYS (no
 * disassembler), -ENOMEM; @diag has a sentence but for -ENOMEM. code_fini() follows.
 */
int code_read(const struct hot_function *function, bool intel, bool with_lines, struct code *code,
	      struct xp_diag *diag);
void code_fini(struct code *code);

/* --- interleave.c --- */

/* What source has been shown of a function. */
struct interleaving {
	const struct values *values;
	struct source_files *files;
	struct shown_file *shown;
	size_t nr_shown;
	const char *function, *inlined; /* and the one that the last line was of */
};

/* Calls @fn for each line of source in front of an instruction; @number 0: it is none of a file.
 * Returns 0 or -ENOMEM. */
int interleave(struct interleaving *at, const struct code_line *line,
	       void (*fn)(uint32_t number, const char *text, void *data), void *data);
/* Before a function's first line. */
void interleaving_begin(struct interleaving *at, const char *function);
void interleaving_fini(struct interleaving *at);
/* Where a file of source is searched: with --prefix. @buf has room for PATH_MAX. */
const char *source_path(const struct values *values, const char *file, char *buf);

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
};

/* Prints a function. Returns 0 or -ENOMEM. */
int annotation_print(const struct annotation *annotation);
/* The share of a sum of a function, in percent. */
double annotation_share(const struct annotation *annotation, int event, const struct heat_sum *sum);

/* --- summary.c --- */

/* Prints the hottest lines of source of a function. Returns 0 or -ENOMEM. */
int summary_print(const struct annotation *annotation);
/* "file.c:12", or with the whole path. */
void summary_place(const struct annotation *annotation, const struct code_line *line);

#endif
