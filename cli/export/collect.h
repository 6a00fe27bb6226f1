/* SPDX-License-Identifier: MIT */
/* From the name of a recording to the tree that formats are written from. */
#ifndef EXPORT_COLLECT_H
#define EXPORT_COLLECT_H

#include <stddef.h>

#include "ordered.h"
#include "recording.h"
#include "servers.h"
#include "stacks.h"

struct xp_tree;

/* What is asked for of a recording. Zeroed but for @read: all of it. */
struct collect_opts {
	struct recording_opts read;
	char *const *more; /* files beside @read.input, up to a NULL; NULL: none */
	unsigned int by;   /* bits, 1 << XP_BY_... */
	int max_stack;     /* 0: as the kernel records them by default */
	bool no_inlines;
	bool is_now;           /* it is said to have been recorded now: --time now */
	bool lines, addresses; /* frames have theirs, and are distinguished by them */
	bool notes;            /* what xp_tree_add_note() adds is asked for */
	bool code;             /* so is the code of the hottest functions */
	int verbose;
};

/* Rows of the tables of commands: which samples, and how their functions are found. @at: where the
 * struct collect_opts is in the values. */
#define COLLECT_AT(at, field) .offset = (at) + offsetof(struct collect_opts, field)
#define COLLECT_OPTIONS(at)                                                                         \
	{ 'i',                                                                                      \
	  "input",                                                                                  \
	  OPTION_STRING,                                                                            \
	  COLLECT_AT(at, read.input),                                                               \
	  .value = "file",                                                                          \
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" }, \
		{ 0, "force", OPTION_FLAG, COLLECT_AT(at, read.force),                              \
		  .help = "read the file even if it belongs to another user" },                     \
		{ 0,                                                                                \
		  "comm",                                                                           \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.comms),                                                \
		  .value = "name,...",                                                              \
		  .help = "only these commands (file://FILE: one per line)" },                      \
		{ 0,                                                                                \
		  "pid",                                                                            \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.pids),                                                 \
		  .value = "pid,...",                                                               \
		  .help = "only these processes" },                                                 \
		{ 0,                                                                                \
		  "tid",                                                                            \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.tids),                                                 \
		  .value = "tid,...",                                                               \
		  .help = "only these threads" },                                                   \
		{ 'C',                                                                              \
		  "cpu",                                                                            \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.cpus),                                                 \
		  .value = "cpu,...",                                                               \
		  .help = "only these CPUs" },                                                      \
		{ 'd',                                                                              \
		  "dso",                                                                            \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.dsos),                                                 \
		  .value = "file,...",                                                              \
		  .help = "only samples in these files" },                                          \
		{ 'S',                                                                              \
		  "symbols",                                                                        \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.symbols),                                              \
		  .value = "name,...",                                                              \
		  .help = "only samples in these functions" },                                      \
		{ 0,                                                                                \
		  "time",                                                                           \
		  OPTION_STRING,                                                                    \
		  COLLECT_AT(at, read.filter.time),                                                 \
		  .value = "from,to",                                                               \
		  .help = "only this time: seconds, or 10%/2, 0%-10%,30%-40%" },                    \
		{ 0,                                                                                \
		  "max-stack",                                                                      \
		  OPTION_INT,                                                                       \
		  COLLECT_AT(at, max_stack),                                                        \
		  .value = "n",                                                                     \
		  .help = "use at most this many entries of a call chain (default 127)" },          \
		{ 0, "no-inline", OPTION_FLAG, COLLECT_AT(at, no_inlines),                          \
		  .help = "do not show inlined functions" },                                        \
		STACKS_OPTION((at) + offsetof(struct collect_opts, read.unwind)),                   \
		NO_JOIN_OPTION((at) + offsetof(struct collect_opts, read.no_join)),                 \
		SYMBOL_OPTIONS((at) + offsetof(struct collect_opts, read.symbols)),                 \
		JOBS_OPTION((at) + offsetof(struct collect_opts, read.jobs)),                       \
	{                                                                                           \
		'v', "verbose", OPTION_COUNT, COLLECT_AT(at, verbose),                              \
			.help = "report all damage of the recording"                                \
	}

#define COLLECT_DEFAULTS                                                                           \
	{                                                                                          \
		.read = {                                                                          \
			.with_symbols = true,                                                      \
			.with_progress = true,                                                     \
			.split_readings = true,                                                    \
			.filter_rows = true                                                        \
		}                                                                                  \
	}

/*
 * Reads a recording and adds it to @tree. Returns the exit status; *ret_failed: nothing was added.
 */
int collect(const struct cli *cli, const struct collect_opts *opts, struct xp_tree *tree,
	    bool *ret_failed);
/* Says in @tree what was recorded. Returns 0 or -ENOMEM. */
int collect_describe(const struct recording *rec, struct xp_tree *tree);

/* Takes the files that were named without an option. Returns false: -i names one, too. */
bool collect_files(struct collect_opts *opts, char *const *files);

#endif
