/* SPDX-License-Identifier: MIT */
/* The recording a command reads. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <xperf/ctx.h>
#include <xperf/data.h>

#include "cli.h"

struct input {
	const char *path;
	struct xp_ctx *ctx;
	struct xp_data *data;
	struct xp_diag diag; /* why something failed, or was left out */
};

/*
 * Opens a recording. @path NULL: perf.data, or standard input if something is piped into it.
 * Returns 0 or a negative errno; in any case input_close() follows.
 */
int input_open(const struct cli *cli, const char *path, bool force, struct input *input);
/* Whether --cpu can be answered: some event has the CPU with its samples. Returns 0, -EINVAL. */
int input_check_cpus(const struct xp_data *data, struct xp_diag *diag);
/* Samples whose ids are of no event of the recording: input_close() tells how many. */
void input_note_strangers(struct xp_diag *diag, uint64_t nr);
/*
 * Closes it, after telling on stderr what was damaged (all of it with @verbose) and why the command
 * failed, if @err is not 0 and standard output has not failed: the program reports that at its end.
 * Returns the exit status: that of a failure after damage, too.
 */
int input_close(struct input *input, int err, bool verbose);

#endif
