/* SPDX-License-Identifier: MIT */
/* What the commands that write for other programs share: choosing, and writing. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <xperf/api.h>
#include <xperf/diag.h>
#include <xperf/export.h>

#include "collect.h"
#include "result.h"

struct xp_export_format;
struct xp_suggest;
struct xp_tree;

/* What is written, and where to. @event, @by, @weight: as given; NULL: not given. @by: "" is
 * nothing, NULL the default. @output: NULL: standard output */
struct write_opts {
	const struct xp_export_format *format;
	const char *output, *event, *by, *weight, *title;
	const char *min_width; /* of pictures, in pixels */
	int width;
	bool no_code;
	struct xp_export_opts opts;
};

/* Rows of the tables of commands; that of --by is for formats with frames at the root, or labels.
 * @at: where the struct write_opts is in the values. */
#define WRITE_AT(at, field) .offset = (at) + offsetof(struct write_opts, field)
#define DIFF_OPTION(at)                                                                            \
	{                                                                                          \
		0, "diff", OPTION_STRING, .offset = (at), .value = "baseline",                     \
					  .help = "show what has changed since this recording"     \
	}
#define BY_OPTION(at)                                                                                       \
	{                                                                                                   \
		0, "by", OPTION_STRING, WRITE_AT(at, by),                                                   \
			.value = "what,...",                                                                \
			.help = "put frames at the root for: event, cgroup, cpu, comm (default), process, " \
				"thread"                                                                    \
	}
#define CODE_OPTION(at)                                                                            \
	{                                                                                          \
		0, "no-code", OPTION_FLAG, WRITE_AT(at, no_code),                                  \
			.help = "leave code and source of hot functions out of the report"         \
	}
#define WRITE_OPTIONS(at)                                                                          \
	{ 'e',                                                                                     \
	  "event",                                                                                 \
	  OPTION_STRING,                                                                           \
	  WRITE_AT(at, event),                                                                     \
	  .value = "event",                                                                        \
	  .help = "only the samples of this event" },                                              \
		{ 0,                                                                               \
		  "weight",                                                                        \
		  OPTION_STRING,                                                                   \
		  WRITE_AT(at, weight),                                                            \
		  .value = "period|samples",                                                       \
		  .help = "weigh by the sum of periods (default) or by the number of samples" },   \
	{                                                                                          \
		0, "title", OPTION_STRING, WRITE_AT(at, title),                                    \
			.value = "text",                                                           \
			.help = "the title of a picture (default: the command that was recorded)"  \
	}

/* choose.c: print what is wrong, with the nearest name. */

/* @what: "there is no format"; what was typed follows. */
void print_unknown(const char *what, const struct xp_suggest *suggest);

/* Returns NULL if there is none. */
const struct xp_export_format *format_find(const char *name);
/* Parses the options, and sets what has to be collected for them and for the format. Returns 0 or
 * -1. */
int write_parse(struct write_opts *what, struct collect_opts *from);
/* The number of an event; -1: there is none. */
int event_of_name(const struct xp_tree *tree, const char *name);
/* Sets the event that is written, once the tree is there. Returns 0 or -1. */
int event_choose(struct write_opts *what, const struct xp_tree *tree);

/* Whether a name is that of an event, with or without its modifiers. */
bool event_is_named(const char *event, const char *name);

/* Where something is written to. */
struct writing {
	const struct write_opts *what;
	struct xp_export_opts opts; /* with its write function */
	struct result result;
	FILE *file;
	struct xp_diag diag; /* why writing failed */
	bool is_reported;    /* why something failed is */
};

/* write.c: begin and end writing. @input: that was read; NULL: perf.data. @err: what
 * failed meanwhile: then the file stays as it was. Return 0, or a negative errno after printing
 * why. */
int writing_open(struct writing *writing, const struct write_opts *what, const char *input);
int writing_close(struct writing *writing, int err);
/* Writes a tree. Returns likewise. */
int tree_write(const struct write_opts *what, const struct xp_tree *tree, const char *input);

/* import.c: reads a recording, or call chains that another program has written; where those are a
 * comparison, the first numbers go into @base, if there is one. Returns the exit status;
 * *ret_failed: not all was read. */
int tree_read(const struct cli *cli, const struct collect_opts *from, struct xp_tree *tree,
	      struct xp_tree *base, bool *ret_failed);

/* baseline.c: whether a format shows differences, and whether it is written to another file than
 * the baseline. Print why not. */
bool baseline_is_shown(const struct write_opts *what);
bool baseline_is_kept(const struct write_opts *what, const char *baseline);
/* Reads what @tree is compared with into @base, and finds the event in it that is written. Returns
 * the exit status; *ret_failed: it cannot be compared. */
int baseline_read(const struct cli *cli, const struct collect_opts *from, struct write_opts *what,
		  const char *baseline, const struct xp_tree *tree, struct xp_tree *base,
		  bool *ret_failed);

/* stream.c: reads a recording, and writes its samples. @tree: empty. Returns the exit status;
 * *ret_failed: nothing was written. */
int stream_write(const struct cli *cli, const struct collect_opts *from,
		 const struct write_opts *what, struct xp_tree *tree, bool *ret_failed);

/* import.c: whether a file is no recording, but call chains that another program has written. */
bool tree_is_imported(const char *path);

/* The options of a command that exports. @format: NULL: folded stacks */
struct export_values {
	struct collect_opts collect;
	struct write_opts write;
	const char *format;
	const char *diff; /* the recording that it is compared with; NULL: none */
	bool is_written;  /* the file is complete, though the recording may be damaged */
};

/* flamegraph.c: draws a recording as `xperf flamegraph` does by default. @quiet: without saying so.
 * Returns the exit status. */
int flamegraph_write(const struct cli *cli, const char *input, const char *output, bool quiet);

/* Writes a recording as the options say. Returns the exit status, and sets @is_written. */
int export_recording(const struct cli *cli, struct export_values *values);

#endif
