/* SPDX-License-Identifier: MIT */
/* --sched: what `xperf report --sched` reads. */
#ifndef CLI_RECORD_SCHED_EVENTS_H
#define CLI_RECORD_SCHED_EVENTS_H

#include <xperf/api.h>

#include "config.h"

struct xp_ctx;
struct xp_diag;
struct xp_evlist;

/* What it cannot be combined with, as a sentence; NULL: nothing that was given. */
const char *sched_contradiction(const struct record_config *config);

/*
 * Appends the events, if they are asked for: tracepoints, of all tasks, where they may be opened;
 * else one that carries records of context switches, with a note. Returns 0, or a negative errno
 * with @diag filled.
 */
int sched_add(struct xp_ctx *ctx, struct record_config *config, struct xp_evlist *evlist,
	      struct xp_diag *diag);

#endif
