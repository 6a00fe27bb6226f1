/* SPDX-License-Identifier: MIT */
/* How often tasks were woken by whom, and at the end of which chains. */
#ifndef SCHED_WAKES_H
#define SCHED_WAKES_H

#include "index.h"
#include "sums.h"

/* The waker of the task @tid, and those of the waker's own last wake-up (NULL: not known); none of
 * them twice, nor the task. */
struct sched_chain sched_chain_of(int32_t tid, struct sched_waker waker,
				  const struct sched_chain *before);

/* Empty but for the seed of its hashes. @at: one waker of one task; @chains: one chain that ends
 * there */
struct sched_wakes {
	uint64_t seed;
	struct sched_wakes_by *at;
	struct sched_wakes_after *chains;
	size_t nr, nr_chains;
	struct index by_waker, by_chain;
};

void sched_wakes_fini(struct sched_wakes *wakes);
/* A wake-up of a task, by its number. Returns 0 or -ENOMEM. */
int sched_wakes_add(struct sched_wakes *wakes, size_t task, const struct sched_chain *chain);
/* Fills in who woke each task most often, and after what; of those that are as frequent, the first.
 */
void sched_wakes_choose(const struct sched_wakes *wakes,
			struct sched_task *(*task_at)(size_t task, void *data), void *data);

#endif
