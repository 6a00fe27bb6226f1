/* SPDX-License-Identifier: MIT */
/* Where `xperf stat` counts: the sets of CPUs and threads, and when they are all gone. */
#ifndef CLI_STAT_TARGET_H
#define CLI_STAT_TARGET_H

#include <poll.h>

#include "config.h"

struct stat_target {
	struct xp_ctx *ctx;
	struct xp_cpus *cpus;       /* NULL: wherever the threads run */
	struct xp_threads *threads; /* NULL: every task, or the workload, known when it is made */

	/* for -p and -t: how the end of each process or thread is noticed */
	int nr_watched;
	int nr_gone;
	pid_t *watched;        /* 0: gone */
	struct pollfd *pidfds; /* .fd -1: looked for by number at intervals */
	bool looks_by_number;
};

/* Returns 0 or a negative errno with @diag filled. */
int stat_target_init(struct stat_target *target, struct xp_ctx *ctx,
		     const struct stat_config *config, struct xp_diag *diag);
void stat_target_fini(struct stat_target *target);

/* Notices which processes have ended. Returns true when there were some and all have. */
bool stat_target_is_gone(struct stat_target *target);

#endif
