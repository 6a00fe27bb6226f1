/* SPDX-License-Identifier: MIT */
/* The samples of some blocks, the thread that helps with them, and what has come out. */
#include "walks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwound.h"
#include "vec.h"

enum {
	SAMPLES_MAX = 1 << 16, /* at once */
	PIECE = 4,             /* samples that a thread starts on at once */
	WORTH = 4 * PIECE,     /* fewer are not worth waking a thread */
	FOUND_BYTES = 4 << 20, /* of the chains of one thread */
};

/* A sample and its chain. */
struct walk {
	const struct xp_record *record;
	const struct xp_attr *attr;
	struct xp_unwind_chain chain; /* pcs: NULL: there is none */
	bool is_walked;
};

/* Where one thread puts its chains. */
struct found {
	char *bytes; /* FOUND_BYTES */
	size_t nr;
};

enum offer { NO_OFFER, OFFERED, ACCEPTED };

struct xp_walks {
	const struct xp_shed *events;
	uint64_t kept_regs;
	struct xp_walker *first, second;
	struct found of_first, of_second;

	struct walk *at;
	size_t nr, room;
	atomic_size_t nr_begun;
	size_t next; /* that will be asked for */

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	enum offer offer;
	bool is_ending;
	uint64_t nr_second;
};

/* --- chains --- */

/* Copies a chain to where it stays. Returns false: there is no room. */
static bool keep(struct found *found, struct xp_unwind_chain *chain)
{
	size_t words = chain->nr * sizeof(uint64_t);
	size_t bytes = (2 * words + chain->nr + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	char *to = found->bytes + found->nr;

	if (found->nr + bytes > FOUND_BYTES)
		return false;
	chain->pcs = memcpy(to, chain->pcs, words);
	chain->sps = memcpy(to + words, chain->sps, words);
	chain->marks = memcpy(to + 2 * words, chain->marks, chain->nr);
	found->nr += bytes;
	return true;
}

/* Returns false: there is no room for its chain. */
static bool walk_one(const struct xp_walks *walks, struct xp_walker *walker, struct found *found,
		     struct walk *walk)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	struct xp_unwind_chain chain;
	struct xp_stack_place place;

	if (xp_stack_find(walk->record, walk->attr, &sample, &place))
		return true;
	size_t room = xp_stack_room(&place, walk->attr, walks->kept_regs);

	if (!room || !sample.user_regs.abi)
		return true;
	xp_walker_enter(walker, &sample);
	walk->is_walked = xp_walker_walk(walker, &sample, room, &chain);
	if (!keep(found, &chain))
		return false;
	walk->chain = chain;
	return true;
}

/* What one thread does: pieces, until none is left. Returns how many samples. */
static uint64_t walk_some(struct xp_walks *walks, struct xp_walker *walker, struct found *found)
{
	uint64_t nr = 0;

	found->nr = 0;
	for (;;) {
		size_t at =
			atomic_fetch_add_explicit(&walks->nr_begun, PIECE, memory_order_relaxed);

		for (size_t i = at; i < at + PIECE; i++, nr++)
			if (i >= walks->nr || !walk_one(walks, walker, found, &walks->at[i]))
				return nr;
	}
}

/* --- the second thread --- */

static void *help(void *data)
{
	struct xp_walks *walks = data;

	pthread_mutex_lock(&walks->lock);
	for (;;) {
		while (walks->offer != OFFERED && !walks->is_ending)
			pthread_cond_wait(&walks->changed, &walks->lock);
		if (walks->is_ending)
			break;
		walks->offer = ACCEPTED;
		pthread_mutex_unlock(&walks->lock);
		uint64_t nr = walk_some(walks, &walks->second, &walks->of_second);

		pthread_mutex_lock(&walks->lock);
		walks->nr_second += nr;
		walks->offer = NO_OFFER;
		pthread_cond_broadcast(&walks->changed);
	}
	pthread_mutex_unlock(&walks->lock);
	return NULL;
}

static void set_offer(struct xp_walks *walks)
{
	pthread_mutex_lock(&walks->lock);
	walks->offer = OFFERED;
	pthread_cond_broadcast(&walks->changed);
	pthread_mutex_unlock(&walks->lock);
}

/* A thread that has not come yet need not come. */
static void end_offer(struct xp_walks *walks)
{
	pthread_mutex_lock(&walks->lock);
	if (walks->offer == OFFERED)
		walks->offer = NO_OFFER;
	while (walks->offer == ACCEPTED)
		pthread_cond_wait(&walks->changed, &walks->lock);
	pthread_mutex_unlock(&walks->lock);
}

/* --- samples --- */

/* Returns false: there is no room for more. */
static bool collect(struct xp_walks *walks, const struct xp_block *block)
{
	const struct xp_record *record;

	for (size_t at = 0; at < block->len; at += record->size) {
		const struct xp_shed_event *event;

		record = (const void *)(block->bytes + at);
		event = record->type == XP_RECORD_SAMPLE ? xp_shed_event_of(walks->events, record)
							 : NULL;
		if (!event || !xp_has_stacks(event->attr))
			continue;
		if (walks->nr == SAMPLES_MAX ||
		    vec_reserve(&walks->at, walks->nr, &walks->room, sizeof(*walks->at)))
			return false;
		walks->at[walks->nr++] = (struct walk){ .record = record, .attr = event->attr };
	}
	return true;
}

void xp_walks_run(struct xp_walks *walks, const struct xp_block *blocks)
{
	walks->nr = walks->next = 0;
	if (!walks->has_thread)
		return;
	for (; blocks; blocks = blocks->next)
		if (blocks->kind == XP_BLOCK_RING && !collect(walks, blocks))
			break;
	if (walks->nr < WORTH) {
		walks->nr = 0;
		return;
	}
	atomic_store(&walks->nr_begun, 0);
	set_offer(walks);
	walk_some(walks, walks->first, &walks->of_first);
	end_offer(walks);
}

bool xp_walks_next(struct xp_walks *walks, const struct xp_record *record,
		   struct xp_unwind_chain *ret_chain, bool *ret_is_walked)
{
	while (walks->next < walks->nr && walks->at[walks->next].record != record)
		walks->next++;
	if (walks->next == walks->nr)
		return false;
	const struct walk *walk = &walks->at[walks->next++];
	struct xp_walker *walker = walks->first;

	if (!walk->chain.pcs)
		return false;
	*ret_chain = walk->chain;
	ret_chain->pcs = memcpy(walker->pcs, walk->chain.pcs, walk->chain.nr * sizeof(uint64_t));
	ret_chain->sps = memcpy(walker->sps, walk->chain.sps, walk->chain.nr * sizeof(uint64_t));
	ret_chain->marks = memcpy(walker->marks, walk->chain.marks, walk->chain.nr);
	*ret_is_walked = walk->is_walked;
	return true;
}

uint64_t xp_walks_nr_second(const struct xp_walks *walks)
{
	return walks->nr_second;
}

/* --- new and free --- */

int xp_walks_new(const struct xp_shed *events, uint64_t kept_regs, struct xp_walker *walker,
		 struct xp_walks **ret_walks)
{
	struct xp_walks *walks = calloc(1, sizeof(*walks));

	if (!walks)
		return -ENOMEM;
	walks->events = events;
	walks->kept_regs = kept_regs;
	walks->first = walker;
	pthread_mutex_init(&walks->lock, NULL);
	pthread_cond_init(&walks->changed, NULL);
	*ret_walks = walks;
	return 0;
}

int xp_walks_start(struct xp_walks *walks)
{
	walks->of_first.bytes = malloc(FOUND_BYTES);
	walks->of_second.bytes = malloc(FOUND_BYTES);
	int err = walks->of_first.bytes && walks->of_second.bytes
			  ? xp_walker_init(&walks->second, walks->first->files)
			  : -ENOMEM;

	if (!err)
		err = -pthread_create(&walks->thread, NULL, help, walks);
	walks->has_thread = !err;
	return err;
}

void xp_walks_end(struct xp_walks *walks)
{
	if (!walks->has_thread)
		return;
	pthread_mutex_lock(&walks->lock);
	walks->is_ending = true;
	pthread_cond_broadcast(&walks->changed);
	pthread_mutex_unlock(&walks->lock);
	pthread_join(walks->thread, NULL);
	walks->has_thread = false;
}

void xp_walks_free(struct xp_walks *walks)
{
	if (!walks)
		return;
	xp_walks_end(walks);
	xp_walker_fini(&walks->second);
	free(walks->of_first.bytes);
	free(walks->of_second.bytes);
	free(walks->at);
	pthread_cond_destroy(&walks->changed);
	pthread_mutex_destroy(&walks->lock);
	free(walks);
}
