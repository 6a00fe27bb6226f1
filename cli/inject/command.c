/* SPDX-License-Identifier: MIT */
/*
 * `xperf inject`: a recording, written again: what was compressed is unpacked, a stream becomes a
 * file or a file a stream, and build ids of files are added.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "copy.h"
#include "options.h"

struct values {
	struct recording_opts read;
	struct copy_opts copy;
	bool ignored;
	int verbose;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static int refuse(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg, (void)negated, (void)values;
	return option_error(option, "it is not done here; use 'perf inject'");
}

#define REFUSED(letter, name, takes)                                                               \
	{                                                                                          \
		letter, name, OPTION_CALL, .value = (takes), .help = "refused", .call = refuse,    \
					   .hidden = true                                          \
	}

static const struct option options[] = {
	{ 'i', "input", OPTION_STRING, VALUE(read.input), .value = "file",
	  .help = "read this recording (default perf.data, or standard input if that is a pipe)" },
	{ 'o', "output", OPTION_STRING, VALUE(copy.output), .value = "file",
	  .help = "write this file (default '-', a stream to standard output)" },
	{ 'f', "force", OPTION_FLAG, VALUE(read.force),
	  .help = "read the file even if it belongs to another user" },
	{ 'b', "build-ids", OPTION_FLAG, VALUE(copy.build_ids),
	  .help = "add the build ids of mapped files that have none" },
	{ 'B', "mmap2-buildids", OPTION_FLAG, VALUE(copy.build_ids), .help = "same as --build-ids",
	  .hidden = true },
	{ 0, "buildid-all", OPTION_FLAG, VALUE(copy.build_ids), .help = "same as --build-ids",
	  .hidden = true },
	{ 0, "mmap2-buildid-all", OPTION_FLAG, VALUE(copy.build_ids), .help = "same as --build-ids",
	  .hidden = true },
	{ 'j', "jit", OPTION_FLAG, VALUE(ignored),
	  .help = "no effect: xperf report reads what JIT compilers wrote" },
	{ 'v', "verbose", OPTION_COUNT, VALUE(verbose),
	  .help = "report all damage of the recording" },
	REFUSED('s', "sched-stat", NULL),
	REFUSED(0, "itrace", "what"),
	REFUSED(0, "strip", NULL),
	REFUSED(0, "known-build-ids", "list"),
	REFUSED(0, "vm-time-correlation", "how"),
	REFUSED(0, "guest-data", "file"),
	REFUSED(0, "guestmount", "dir"),
	REFUSED(0, "convert-callchain", NULL),
	{ 0 },
};

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .copy.output = "-" };
	struct recording rec;
	int first, status;

	if (!options_parse(&inject_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&inject_command, "unexpected argument '%s'", argv[first]);
	if (!strcmp(values.copy.output, "-") && isatty(STDOUT_FILENO))
		return options_misused(&inject_command,
				       "a recording is no text for a terminal: -o FILE writes it");
	signal(SIGPIPE, SIG_IGN);
	int err = recording_open(&rec, cli, &values.read);
	if (!err)
		err = copy_recording(&rec, &values.copy);
	if (err == -EPIPE) { /* who reads it has seen enough */
		rec.diag = (struct xp_diag){ 0 };
		err = 0;
	}
	return recording_close(&rec, err, values.verbose);
}

const struct command inject_command = {
	.name = "inject",
	.summary = "Write a recording again, with more than was recorded",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
