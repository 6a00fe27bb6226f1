/* SPDX-License-Identifier: MIT */
/* Showing a recording. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "cli.h"

/*
 * Shows the report of a recording as `xperf view` does, but that addresses are printed to stderr.
 * Returns the exit status.
 */
int view_recording(const struct cli *cli, const char *input);

#endif
