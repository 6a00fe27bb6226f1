/* SPDX-License-Identifier: MIT */
/* Stacks to call chains: blocks that wait until the next round is complete, the side band in order,
 * and the walk from each sample's registers. */
#include "unwinding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/attr.h>

#include "chain-end.h"
#include "chain-mark.h"
#include "endings.h"
#include "joiner.h"
#include "live-dumps.h"
#include "sample-bits.h"
#include "unwound.h"
#include "vec.h"
#include "walked.h"
#include "walks.h"

enum {
	NS_PER_MS = 1000000,
	PRUNE_NS = 100 * NS_PER_MS, /* maps are forgotten at most that often */
	BEHIND_PART = 32,           /* of what may wait */
};

/* A record of the side band that is not noted yet. */
struct band_record {
	const struct xp_record *record;
	uint64_t time_ns;
	uint64_t nr; /* in the order in which they came */
};

struct xp_unwinding {
	const struct xp_shed *events;
	uint64_t kept_regs;
	bool has_overwritten;
	bool is_monotonic; /* times of records */
	size_t hold_max, behind_bytes;

	struct xp_block *held, *held_last;
	size_t held_bytes;
	uint64_t round; /* the number of the present one */
	struct band_record *band;
	size_t nr_band, band_room;
	uint64_t nr_collected;
	uint64_t latest_ns;   /* of all records so far */
	uint64_t complete_ns; /* up to then all records have been read */

	struct xp_walk_files files;
	uint64_t round_ns;  /* the latest time when the last round ended */
	uint64_t pruned_ns; /* likewise, when maps were forgotten */
	uint64_t kept_ns;   /* likewise, the time before: maps since then were kept */

	struct xp_walker walker;
	struct xp_walks *walks;
	struct xp_joiner *joiner; /* NULL: chains end with the copy of the stack */
	struct xp_endings endings;
	size_t nr_short; /* chains in a block that end where the copy of the stack ends */
};

/* --- new and free --- */

static bool is_monotonic(const struct xp_shed *events)
{
	for (int i = 0; i < events->nr_events; i++) {
		const struct xp_attr *attr = events->events[i].attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return true;
}

int xp_unwinding_new(const struct xp_recorder_opts *opts, const struct xp_shed *events,
		     bool has_overwritten, struct xp_unwinding **ret_unwinding)
{
	struct xp_unwinding *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->files.unwind = opts->unwind;
	pthread_mutex_init(&u->files.lock, NULL);
	u->events = events;
	u->kept_regs = opts->kept_regs;
	u->has_overwritten = has_overwritten;
	u->is_monotonic = is_monotonic(events);
	u->hold_max = opts->backlog_bytes / 2;
	u->behind_bytes = opts->backlog_bytes / BEHIND_PART;
	int err = xp_walker_init(&u->walker, &u->files);

	if (!err)
		err = xp_walks_new(events, u->kept_regs, &u->walker, &u->walks);
	if (!err && !opts->no_join)
		err = xp_joiner_new(&u->joiner);
	if (err) {
		xp_unwinding_free(u);
		return err;
	}
	*ret_unwinding = u;
	return 0;
}

static void free_blocks(struct xp_block *block)
{
	while (block) {
		struct xp_block *next = block->next;

		free(block);
		block = next;
	}
}

void xp_unwinding_free(struct xp_unwinding *unwinding)
{
	if (!unwinding)
		return;
	free_blocks(unwinding->held);
	xp_walks_free(unwinding->walks);
	xp_walker_fini(&unwinding->walker);
	xp_joiner_free(unwinding->joiner);
	xp_live_fini(&unwinding->files.maps);
	pthread_mutex_destroy(&unwinding->files.lock);
	xp_endings_fini(&unwinding->endings);
	free(unwinding->band);
	free(unwinding);
}

/* --- the side band --- */

/* Without times, records count in the order in which they come. */
static uint64_t time_of(const struct xp_unwinding *u, const struct xp_record *record)
{
	enum { UNTIMED_NS = 1 };
	uint64_t time_ns = xp_shed_time_of(u->events, record);

	return time_ns == XP_NO_TIME ? UNTIMED_NS : time_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct band_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

/* Threads of an address space that is another one now, and those that begin and end. */
static void forget_thread(struct xp_unwinding *u, const struct band_record *band)
{
	const struct xp_record_task *task = (const void *)band->record;
	const struct xp_record_comm *comm = (const void *)band->record;

	switch (band->record->type) {
	case XP_RECORD_FORK:
	case XP_RECORD_EXIT:
		if (band->record->size >= sizeof(*task))
			xp_joiner_forget(u->joiner, (int32_t)task->tid, band->time_ns);
		break;
	case XP_RECORD_COMM:
		if (band->record->size >= sizeof(*comm) && band->record->misc & XP_MISC_COMM_EXEC)
			xp_joiner_forget(u->joiner, (int32_t)comm->tid, band->time_ns);
		break;
	}
}

/* Those up to a time, in order. What there is no memory for is missing, and chains end there. */
static void note_band(struct xp_unwinding *u, uint64_t until_ns)
{
	bool is_ordered = true;
	size_t nr = 0;

	for (size_t i = 1; i < u->nr_band; i++)
		is_ordered &= u->band[i - 1].time_ns <= u->band[i].time_ns;
	if (!is_ordered)
		qsort(u->band, u->nr_band, sizeof(*u->band), by_time);
	for (; nr < u->nr_band && u->band[nr].time_ns <= until_ns; nr++) {
		xp_live_add(&u->files.maps, u->band[nr].record, u->band[nr].time_ns);
		if (u->joiner)
			forget_thread(u, &u->band[nr]);
	}
	u->nr_band -= nr;
	if (nr && u->nr_band)
		memmove(u->band, u->band + nr, u->nr_band * sizeof(*u->band));
}

/* --- rounds --- */

/* Samples that are unwound now may be as old as the round before the last one. */
static void end_round(struct xp_unwinding *u)
{
	if (u->round_ns > u->pruned_ns + PRUNE_NS) {
		xp_live_prune(&u->files.maps, u->kept_ns);
		u->kept_ns = u->pruned_ns;
		u->pruned_ns = u->round_ns;
	}
	/* A record that the next round brings is later than all of the round before this one. */
	note_band(u, u->complete_ns);
	u->complete_ns = u->latest_ns;
	u->round_ns = u->files.maps.latest_ns;
	u->round++;
}

/* Collects it from a block, by rounds. Returns whether the block ends with one, which is not ended
 * yet. */
static bool collect_band(struct xp_unwinding *u, struct xp_block *block)
{
	bool ended = false;

	for (size_t at = 0; at < block->len;) {
		const struct xp_record *record = (const void *)(block->bytes + at);

		at += record->size;
		if (ended)
			end_round(u);
		ended = record->type == XP_RECORD_FINISHED_ROUND;
		if (ended)
			continue;
		uint64_t time_ns = time_of(u, record);

		block->latest_ns = time_ns > block->latest_ns ? time_ns : block->latest_ns;
		u->latest_ns = time_ns > u->latest_ns ? time_ns : u->latest_ns;
		if (xp_live_wants(record->type) &&
		    !vec_reserve(&u->band, u->nr_band, &u->band_room, sizeof(*u->band)))
			u->band[u->nr_band++] =
				(struct band_record){ record, time_ns, u->nr_collected++ };
	}
	return ended;
}

static void append(struct xp_unwinding *u, struct xp_block *block)
{
	block->next = NULL;
	block->round = u->round;
	if (u->held)
		u->held_last->next = block;
	else
		u->held = block;
	u->held_last = block;
	u->held_bytes += block->len;
}

/* Those whose next round is complete, and the oldest ones beyond @max bytes. For these, what is
 * known by now has to do. */
static struct xp_block *release(struct xp_unwinding *u, size_t max)
{
	struct xp_block *blocks = u->held, **end = &blocks;
	uint64_t until_ns = 0;

	while (*end && ((*end)->round + 1 < u->round || u->held_bytes > max)) {
		if ((*end)->latest_ns > until_ns)
			until_ns = (*end)->latest_ns;
		u->held_bytes -= (*end)->len;
		end = &(*end)->next;
	}
	note_band(u, until_ns);
	if (blocks != *end)
		xp_live_read_dumps(&u->files.maps, u->files.unwind, u->is_monotonic);
	u->held = *end;
	*end = NULL;
	return blocks;
}

/* Overwritten rings know no rounds: what was there before is described at the end. */
static bool is_last_of_round(const struct xp_unwinding *u, const struct xp_block *block)
{
	return block->flush && !u->has_overwritten;
}

static bool has_records(const struct xp_block *block)
{
	return block->kind == XP_BLOCK_RING || block->kind == XP_BLOCK_OWN ||
	       block->kind == XP_BLOCK_OUTSIDE;
}

/* Somebody waits for what happens after it, or nothing comes after it. */
static bool is_urgent(const struct xp_block *block)
{
	return !has_records(block) && block->kind != XP_BLOCK_IDS;
}

struct xp_block *xp_unwinding_hold(struct xp_unwinding *unwinding, struct xp_block *block)
{
	struct xp_unwinding *u = unwinding;
	bool ends = false;

	if (is_urgent(block)) {
		append(u, block);
		end_round(u);
		note_band(u, UINT64_MAX);
		u->round++;
		return release(u, 0);
	}
	if (has_records(block) && block->kind != XP_BLOCK_OUTSIDE)
		ends = collect_band(u, block);
	append(u, block);
	if (ends || is_last_of_round(u, block))
		end_round(u);
	return release(u, u->hold_max);
}

/* --- samples --- */

int xp_unwinding_start_thread(struct xp_unwinding *unwinding)
{
	return xp_walks_start(unwinding->walks);
}

void xp_unwinding_end_thread(struct xp_unwinding *unwinding)
{
	xp_walks_end(unwinding->walks);
}

void xp_unwinding_ahead(struct xp_unwinding *unwinding, const struct xp_block *blocks,
			size_t backlog)
{
	bool is_behind = backlog >= unwinding->held_bytes + unwinding->behind_bytes;

	xp_walks_run(unwinding->walks, is_behind ? blocks : NULL);
}

uint64_t xp_unwinding_nr_second(const struct xp_unwinding *unwinding)
{
	return xp_walks_nr_second(unwinding->walks);
}

/* Returns how many frames. */
static size_t join(struct xp_unwinding *u, const struct xp_sample *sample,
		   struct xp_unwind_chain *chain)
{
	const struct xp_join_thread thread = { .pid = sample->id.pid,
					       .tid = sample->id.tid,
					       .time_ns = sample->id.time_ns,
					       .space = u->walker.space_state,
					       .is_mapped = xp_walker_is_mapped,
					       .data = &u->walker };

	return u->joiner ? xp_joiner_add(u->joiner, &thread, chain) : 0;
}

/* The file that has to do with the end of a chain. Returns its name; NULL: there is none. */
static const char *file_of(const struct xp_unwinding *u, const struct xp_user_chain *chain)
{
	const char *name = NULL;
	size_t left =
		chain->end == XP_CHAIN_MADE_CODE ? chain->nr : xp_chain_end_is_in_file(chain->end);

	for (size_t at = chain->nr; left-- && !name;)
		name = xp_walker_file(&u->walker, xp_unwound_place(chain, --at));
	return name;
}

static struct xp_user_chain walk(struct xp_unwinding *u, const struct xp_sample *sample,
				 size_t room)
{
	struct xp_unwind_chain chain;
	bool is_walked;

	xp_walker_enter(&u->walker, sample);
	if (!xp_walks_next(u->walks, sample->record, &chain, &is_walked))
		is_walked = xp_walker_walk(&u->walker, sample, room, &chain);
	size_t nr_joined = is_walked ? join(u, sample, &chain) : 0;

	u->nr_short += chain.end == XP_UNWIND_END_OF_DUMP;
	struct xp_user_chain made = { chain.pcs, chain.marks, chain.nr, nr_joined,
				      is_walked ? xp_unwind_chain_end(&chain, nr_joined,
								      sample->record->misc)
						: XP_CHAIN_NO_RULES };

	xp_unwound_fit(&made, room);
	if (made.nr)
		xp_endings_add(&u->endings, made.end, file_of(u, &made));
	return made;
}

/* Returns the bytes it has become; 0: it is no sample of its event. */
static size_t unwind_sample(struct xp_unwinding *u, const struct xp_record *record,
			    const struct xp_attr *attr, char *to)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	struct xp_user_chain chain = { .nr = 0 };
	struct xp_stack_place place;

	if (xp_stack_find(record, attr, &sample, &place))
		return 0;
	size_t room = xp_stack_room(&place, attr, u->kept_regs);
	/* The kernel's own threads have no registers of user space. */
	if (room && sample.user_regs.abi)
		chain = walk(u, &sample, room);
	return xp_unwound_write(&sample, &place, attr, u->kept_regs, &chain, to);
}

/* The same of one whose chain was made in the kernel. Frames that copies of its stack have shown
 * before may have returned. */
static size_t finish_walked(struct xp_unwinding *u, const struct xp_record *record,
			    const struct xp_attr *attr, char *to)
{
	enum xp_chain_end end;
	size_t len = xp_walked_write(record, attr, u->events, &u->walker, to, &end);

	if (!len)
		return 0;
	xp_endings_add(&u->endings, end, NULL);
	if (u->joiner)
		xp_joiner_forget(u->joiner, u->walker.tid, u->walker.time_ns);
	return len;
}

void xp_unwinding_block(struct xp_unwinding *unwinding, struct xp_scan *scan,
			struct xp_block *block)
{
	size_t kept = 0, nr_bad = 0;

	for (size_t at = 0, size; at < block->len; at += size) {
		const struct xp_record *record = (const void *)(block->bytes + at);
		const struct xp_shed_event *event = NULL;

		size = record->size;
		if (record->type == XP_RECORD_SAMPLE)
			event = xp_shed_event_of(unwinding->events, record);
		bool is_walked = event && xp_shed_is_walked(unwinding->events, event);
		if (is_walked || (event && xp_has_stacks(event->attr))) {
			size_t len = (is_walked ? finish_walked : unwind_sample)(
				unwinding, record, event->attr, block->bytes + kept);

			kept += len;
			nr_bad += !len;
			continue;
		}
		memmove(block->bytes + kept, record, size);
		kept += size;
	}
	xp_scan_add(scan, XP_BYTES_UNWOUND, block->len - kept);
	xp_scan_add(scan, XP_NR_BAD, nr_bad);
	xp_scan_add(scan, XP_NR_SHORT, unwinding->nr_short);
	unwinding->nr_short = 0;
	block->len = kept;
}

int xp_unwinding_ends(const struct xp_unwinding *unwinding, struct xp_chain_ends *ends)
{
	return xp_endings_add_to(&unwinding->endings, ends);
}
