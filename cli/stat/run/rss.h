/* SPDX-License-Identifier: MIT */
/* The resident size of the workload. */
#ifndef CLI_STAT_RSS_H
#define CLI_STAT_RSS_H

#include "run.h"

/* The largest resident size that is accounted to a process which never executes anything: see
 * xp_workload_usage(). 0: not known. */
uint64_t stat_least_rss_bytes(struct xp_ctx *ctx);

/* The largest resident size of the workload of a job, when it has ended. 0: not known. */
uint64_t stat_max_rss_bytes(const struct stat_job *job);

#endif
