/* SPDX-License-Identifier: MIT */
/*
 * Looks up all addresses of a profile: what was mapped there, which function it is, and its lines.
 * That is done by several threads, some addresses at a time; what they have found becomes places in
 * the order of the addresses, while the next ones are looked up. So places are numbered as one
 * thread would number them.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "places.h"
#include "resolve-files.h"

enum {
	BATCH = 4096,
	CHUNK = 64, /* that a thread takes at a time */
};

struct batch {
	struct looked_up *found;
	uint32_t first, nr;
	atomic_uint next;
};

struct lookup {
	const struct xp_profile *profile;
	struct batch *batch; /* that is looked up */
	atomic_int err;
	atomic_bool is_stopped;
};

/* A thread with what is its own. */
struct looker {
	struct lookup *lookup;
	struct xp_resolver *resolver;
	pthread_t thread;
	bool is_started;
};

/* Addresses [@from, @to) of the batch. Returns 0 or -ENOMEM. */
static int look_some(const struct looker *looker, uint32_t from, uint32_t to)
{
	struct lookup *lookup = looker->lookup;
	const struct xp_profile *profile = lookup->profile;
	struct batch *batch = lookup->batch;
	int err = 0;

	if (profile->go_on && !profile->go_on(to - from, profile->go_on_data))
		lookup->is_stopped = true;
	for (uint32_t i = from; !err && i < to; i++)
		if (lookup->is_stopped)
			batch->found[i] = xp_address_unknown(profile, batch->first + i);
		else
			err = xp_address_look_up(profile, looker->resolver, batch->first + i,
						 &batch->found[i]);
	return err;
}

static void *look(void *arg)
{
	const struct looker *looker = arg;
	struct lookup *lookup = looker->lookup;
	struct batch *batch = lookup->batch;
	uint32_t at;
	int err = 0;

	while (!err && (at = atomic_fetch_add(&batch->next, CHUNK)) < batch->nr)
		err = look_some(looker, at, batch->nr - at < CHUNK ? batch->nr : at + CHUNK);
	if (err)
		lookup->err = err;
	return NULL;
}

/* @batch begins where @before ends; all but the first of the threads begin with it. */
static void start(struct lookup *lookup, struct looker *lookers, int nr, struct batch *batch,
		  const struct batch *before)
{
	uint32_t all = lookup->profile->addresses.nr;

	batch->first = before->first + before->nr;
	batch->nr = all - batch->first < BATCH ? all - batch->first : BATCH;
	atomic_store(&batch->next, 0);
	lookup->batch = batch;
	for (int i = 1; i < nr && batch->nr > CHUNK; i++)
		lookers[i].is_started =
			!pthread_create(&lookers[i].thread, NULL, look, &lookers[i]);
}

static void finish(struct looker *lookers, int nr)
{
	look(&lookers[0]);
	for (int i = 1; i < nr; i++)
		if (lookers[i].is_started)
			pthread_join(lookers[i].thread, NULL);
	for (int i = 1; i < nr; i++)
		lookers[i].is_started = false;
}

static int number(struct xp_profile *profile, const struct batch *batch)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < batch->nr; i++)
		err = xp_address_number(profile, batch->first + i, &batch->found[i]);
	return err;
}

static int look_up(struct xp_profile *profile, struct lookup *lookup, struct looker *lookers,
		   int nr, struct batch batches[2])
{
	int err = 0;

	start(lookup, lookers, nr, &batches[0], &batches[1]);
	finish(lookers, nr);
	for (int i = 0; !err && !lookup->err && batches[i].nr; i = !i) {
		start(lookup, lookers, nr, &batches[!i], &batches[i]);
		err = number(profile, &batches[i]);
		finish(lookers, nr);
	}
	return err ? err : lookup->err;
}

uint64_t xp_profile_watch(struct xp_profile *profile, xp_go_on_fn go_on, void *data)
{
	profile->go_on = go_on;
	profile->go_on_data = data;
	return profile->addresses.nr;
}

int xp_profile_look_up(struct xp_profile *profile, struct xp_resolver *resolver)
{
	struct lookup lookup = { .profile = profile };
	struct looker lookers[XP_RESOLVER_THREADS] = { { &lookup, resolver } };
	struct batch batches[2] = { 0 };
	uint32_t all = profile->addresses.nr, room = all < BATCH ? all : BATCH;
	int nr = 1, err = 0;

	for (int i = 0; i < 2; i++)
		batches[i].found = calloc((size_t)room + 1, sizeof(*batches[i].found));
	if (!batches[0].found || !batches[1].found)
		err = -ENOMEM;
	for (; !err && nr < xp_profile_lookers(profile) && nr < XP_RESOLVER_THREADS; nr++) {
		lookers[nr].lookup = &lookup;
		err = xp_resolver_fork(resolver, &lookers[nr].resolver);
	}
	if (!err)
		err = look_up(profile, &lookup, lookers, nr, batches);
	for (int i = 1; i < nr; i++)
		xp_resolver_free(lookers[i].resolver);
	free(batches[0].found);
	free(batches[1].found);
	return err;
}
