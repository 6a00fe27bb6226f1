/* SPDX-License-Identifier: MIT */
/* Wake-ups, counted by task and waker, and by the chain before that. */
#include "wakes.h"

#include <errno.h>
#include <stdlib.h>

#include "hash.h"
#include "vec.h"

/* How often a task was woken by one waker. */
struct sched_wakes_by {
	size_t task;
	struct sched_waker waker;
	uint64_t nr;
};

/* How often at the end of one chain. @by: the number of the above */
struct sched_wakes_after {
	size_t by;
	struct sched_chain chain;
	uint64_t nr;
};

/* --- chains --- */

static bool has_waker(const struct sched_chain *chain, int32_t tid)
{
	for (int i = 0; i < chain->nr; i++)
		if (chain->by[i].tid == tid)
			return true;
	return false;
}

struct sched_chain sched_chain_of(int32_t tid, struct sched_waker waker,
				  const struct sched_chain *before)
{
	struct sched_chain chain = { .nr = waker.tid != SCHED_NOBODY, .by = { waker } };

	for (int i = 0; before && i < before->nr && chain.nr < SCHED_CHAIN; i++) {
		if (before->by[i].tid == tid || has_waker(&chain, before->by[i].tid))
			break;
		chain.by[chain.nr++] = before->by[i];
	}
	return chain;
}

static bool same_chain(const struct sched_chain *a, const struct sched_chain *b)
{
	bool same = a->nr == b->nr;

	for (int i = 0; same && i < a->nr; i++)
		same = a->by[i].tid == b->by[i].tid;
	return same;
}

/* --- counting --- */

void sched_wakes_fini(struct sched_wakes *wakes)
{
	index_fini(&wakes->by_waker);
	index_fini(&wakes->by_chain);
	free(wakes->at);
	free(wakes->chains);
}

static uint64_t fold_tid(const struct sched_wakes *wakes, uint64_t hash, int32_t tid)
{
	return xp_hash_fold(hash, wakes->seed ^ (uint32_t)tid);
}

/* Returns NULL without memory. */
static struct sched_wakes_by *by_of(struct sched_wakes *wakes, size_t task,
				    struct sched_waker waker)
{
	uint64_t hash = fold_tid(wakes, xp_hash_word(wakes->seed, task), waker.tid);
	size_t at;

	for (struct index_walk walk = index_walk(&wakes->by_waker, hash); index_next(&walk, &at);)
		if (wakes->at[at].task == task && wakes->at[at].waker.tid == waker.tid)
			return &wakes->at[at];
	if (vec_add(&wakes->at, wakes->nr, sizeof(*wakes->at)) ||
	    index_add(&wakes->by_waker, hash, wakes->nr))
		return NULL;
	wakes->at[wakes->nr] = (struct sched_wakes_by){ .task = task };
	return &wakes->at[wakes->nr++];
}

/* Likewise. */
static struct sched_wakes_after *after_of(struct sched_wakes *wakes, size_t by,
					  const struct sched_chain *chain)
{
	uint64_t hash = xp_hash_word(wakes->seed, by);
	size_t at;

	for (int i = 0; i < chain->nr; i++)
		hash = fold_tid(wakes, hash, chain->by[i].tid);
	for (struct index_walk walk = index_walk(&wakes->by_chain, hash); index_next(&walk, &at);)
		if (wakes->chains[at].by == by && same_chain(&wakes->chains[at].chain, chain))
			return &wakes->chains[at];
	if (vec_add(&wakes->chains, wakes->nr_chains, sizeof(*wakes->chains)) ||
	    index_add(&wakes->by_chain, hash, wakes->nr_chains))
		return NULL;
	wakes->chains[wakes->nr_chains] = (struct sched_wakes_after){ .by = by };
	return &wakes->chains[wakes->nr_chains++];
}

int sched_wakes_add(struct sched_wakes *wakes, size_t task, const struct sched_chain *chain)
{
	if (!chain->nr)
		return 0;
	struct sched_wakes_by *by = by_of(wakes, task, chain->by[0]);
	struct sched_wakes_after *after =
		by ? after_of(wakes, (size_t)(by - wakes->at), chain) : NULL;

	if (!after)
		return -ENOMEM;
	/* Names are those of the last time. */
	by->waker = chain->by[0];
	by->nr++;
	after->chain = *chain;
	after->nr++;
	return 0;
}

/* --- rows --- */

void sched_wakes_choose(const struct sched_wakes *wakes,
			struct sched_task *(*task_at)(size_t task, void *data), void *data)
{
	for (size_t i = 0; i < wakes->nr; i++) {
		const struct sched_wakes_by *by = &wakes->at[i];
		struct sched_task *task = task_at(by->task, data);

		task->nr_wakes += by->nr;
		if (by->nr <= task->nr_by_waker)
			continue;
		task->waker = by->waker;
		task->nr_by_waker = by->nr;
	}
	for (size_t i = 0; i < wakes->nr_chains; i++) {
		const struct sched_wakes_after *after = &wakes->chains[i];
		const struct sched_wakes_by *by = &wakes->at[after->by];
		struct sched_task *task = task_at(by->task, data);

		if (by->waker.tid != task->waker.tid || after->nr <= task->nr_by_chain)
			continue;
		task->chain = after->chain;
		task->nr_by_chain = after->nr;
	}
}
