/* SPDX-License-Identifier: MIT */
/* `xperf stat --functions`: calls of functions, counted and timed in the kernel. */
#ifndef CLI_STAT_FUNCTIONS_H
#define CLI_STAT_FUNCTIONS_H

#include "stat-config.h"

/* Runs the whole command, and frees what @config has. Returns its exit status. */
int stat_functions(const struct cli *cli, struct stat_config *config);

#endif
