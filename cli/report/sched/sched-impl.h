/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf report --sched` share. */
#ifndef SCHED_SCHED_IMPL_H
#define SCHED_SCHED_IMPL_H

#include <stdio.h>

#include "losses.h"
#include "sched.h"
#include "sums.h"

/* What a recording has of tasks. */
struct sched {
	struct sched_sums *sums;
	struct losses lost; /* of any event */
	bool has_states;    /* of tasks that leave a CPU; else only whether they were preempted */
	bool has_wakes;     /* when tasks were woken */
	bool has_wakers;    /* by whom */
};

/* load.c: of an open recording. Returns 0 or a negative errno; sched_times_fini() follows. */
int sched_times_load(struct recording *rec, struct sched *ret_sched);
void sched_times_fini(struct sched *sched);

/* Renderers; the second returns 0 or a negative errno. */
void sched_print(FILE *file, const struct sched *sched, const struct sched_opts *opts);
int sched_print_json(FILE *file, const struct sched *sched);

#endif
