/* SPDX-License-Identifier: MIT */
/* A run of `script` over a recording. */
#ifndef SCRIPT_RUN_H
#define SCRIPT_RUN_H

#include <xperf/data.h>

#include "config.h"

/*
 * Prints the samples of a recording to @fd. @path: of the recording. Returns 0, or a negative
 * errno; with the reason in @diag where it is not that of reading. @diag is also filled where
 * something was left out.
 */
int run_script(struct xp_ctx *ctx, struct xp_data *data, const struct config *config, int fd,
	       const char *path, struct xp_diag *diag);

#endif
