/* SPDX-License-Identifier: MIT */
/* User and system time of what `xperf stat` measures. */
#ifndef CLI_STAT_TIMES_H
#define CLI_STAT_TIMES_H

#include <stdbool.h>

#include "run.h"

struct xp_times;

/* Reads what has been used so far, by the command, the processes, threads or CPUs. Returns false if
 * that cannot be known, as of a process that has ended. */
bool times_read(const struct stat_job *job, struct xp_times *ret_times);

#endif
