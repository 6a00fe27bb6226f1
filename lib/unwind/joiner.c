/* SPDX-License-Identifier: MIT */
/* What is known of the stacks of threads, and what it adds to their call chains. */
#include "joiner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/unwind.h>

#include "hash.h"
#include "pages.h"

enum {
	SETS = 1024, /* a power of two */
	WAYS = 4,
	FRAMES_MIN = 64,
	FRAMES_MAX = 1024, /* of a thread; inner ones are not kept */
	BYTES_MAX = 64 << 20,
};

/* A frame that was seen. */
struct known_frame {
	uint64_t sp, pc;
	uint64_t from_ns, to_ns; /* first and last time when it was */
	bool has_caller;         /* it is the frame before this one */
	bool is_outermost;       /* it has none */
	uint8_t marks;
};

struct known_thread {
	int32_t pid, tid; /* tid 0: free */
	uint64_t latest_ns;
	uint64_t begin_ns;          /* what is older is forgotten, from then on */
	bool has_begun;             /* it is */
	uint64_t space;             /* that frames were found mapped in */
	struct known_frame *frames; /* the outermost first */
	size_t nr, room;
};

struct xp_joiner {
	struct known_thread *threads; /* SETS of WAYS */
	size_t bytes;
};

int xp_joiner_new(struct xp_joiner **ret_joiner)
{
	struct xp_joiner *joiner = calloc(1, sizeof(*joiner));

	if (!joiner)
		return -ENOMEM;
	joiner->threads = xp_pages_alloc(SETS * WAYS * sizeof(*joiner->threads));
	if (!joiner->threads) {
		free(joiner);
		return -ENOMEM;
	}
	*ret_joiner = joiner;
	return 0;
}

static void drop_frames(struct xp_joiner *joiner, struct known_thread *thread)
{
	joiner->bytes -= thread->room * sizeof(*thread->frames);
	free(thread->frames);
}

/* Threads are far between in a large table: the rest of it is not looked at behind the last. */
void xp_joiner_free(struct xp_joiner *joiner)
{
	if (!joiner)
		return;
	for (struct known_thread *thread = joiner->threads; joiner->bytes; thread++)
		drop_frames(joiner, thread);
	xp_pages_free(joiner->threads, SETS * WAYS * sizeof(*joiner->threads));
	free(joiner);
}

/* --- threads --- */

static struct known_thread *set_of(const struct xp_joiner *joiner, int32_t tid)
{
	uint64_t hash = xp_hash_word(xp_hash_seed(), (uint32_t)tid);

	return &joiner->threads[(hash >> 32 & (SETS - 1)) * WAYS];
}

static struct known_thread *find_thread(const struct xp_joiner *joiner, int32_t tid)
{
	struct known_thread *set = set_of(joiner, tid);

	for (int i = 0; i < WAYS; i++)
		if (set[i].tid == tid)
			return &set[i];
	return NULL;
}

/* In the place of one that was not seen for longest. */
static struct known_thread *make_thread(struct xp_joiner *joiner, const struct xp_join_thread *is)
{
	struct known_thread *set = set_of(joiner, is->tid), *oldest = set;

	for (int i = 1; i < WAYS; i++)
		if (set[i].latest_ns < oldest->latest_ns)
			oldest = &set[i];
	drop_frames(joiner, oldest);
	*oldest = (struct known_thread){ .pid = is->pid, .tid = is->tid };
	return oldest;
}

void xp_joiner_forget(struct xp_joiner *joiner, int32_t tid, uint64_t time_ns)
{
	struct known_thread *thread = tid > 0 ? find_thread(joiner, tid) : NULL;

	if (thread && time_ns > thread->begin_ns) {
		thread->begin_ns = time_ns;
		thread->has_begun = false;
	}
}

/* Returns false: they are not kept. */
static bool make_room(struct xp_joiner *joiner, struct known_thread *thread, size_t nr)
{
	size_t room = thread->room ? thread->room : FRAMES_MIN;

	while (room < nr)
		room *= 2;
	if (room == thread->room)
		return true;
	size_t more = (room - thread->room) * sizeof(*thread->frames);
	if (joiner->bytes + more > BYTES_MAX)
		return false;
	struct known_frame *frames = reallocarray(thread->frames, room, sizeof(*frames));
	if (!frames)
		return false;
	thread->frames = frames;
	thread->room = room;
	joiner->bytes += more;
	return true;
}

/* --- what is true no longer --- */

static void remove_frame(struct known_thread *thread, size_t at)
{
	struct known_frame *frames = thread->frames;

	if (at + 1 < thread->nr)
		frames[at + 1].has_caller = false;
	thread->nr--;
	memmove(&frames[at], &frames[at + 1], (thread->nr - at) * sizeof(*frames));
}

/* Frames whose code is not where it was. */
static void check_maps(struct known_thread *thread, const struct xp_join_thread *is)
{
	if (is->space && is->space == thread->space)
		return;
	for (size_t i = thread->nr; i-- > 0;)
		if (!is->is_mapped(is->data, thread->frames[i].pc, thread->frames[i].to_ns))
			remove_frame(thread, i);
	thread->space = is->space;
}

static void check_life(struct known_thread *thread, const struct xp_join_thread *is)
{
	bool begins = !thread->has_begun && is->time_ns >= thread->begin_ns;

	if (begins || thread->pid != is->pid) {
		thread->nr = 0;
		thread->latest_ns = 0;
		thread->pid = is->pid;
	}
	thread->has_begun |= begins;
}

/* --- frames --- */

/* Frames above an address: how many, which come first. */
static size_t nr_above(const struct known_thread *thread, uint64_t sp)
{
	size_t low = 0, high = thread->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (thread->frames[mid].sp > sp)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last frames of a chain that are on one stack. A signal may have interrupted another. */
static size_t first_on_stack(const struct xp_unwind_chain *chain)
{
	size_t first = chain->nr - 1;

	while (first && chain->sps[first - 1] <= chain->sps[first])
		first--;
	return first;
}

static bool is_same(const struct known_frame *frame, const struct xp_unwind_chain *chain, size_t at)
{
	return frame->sp == chain->sps[at] && frame->pc == chain->pcs[at];
}

/* The known frame that the copy of the stack has reached last; NULL: it is none. */
static const struct known_frame *find_reached(const struct known_thread *thread,
					      const struct xp_unwind_chain *chain, uint64_t time_ns)
{
	size_t last = chain->nr - 1;

	/* Where the innermost function is in its code means nothing. */
	if (chain->end != XP_UNWIND_END_OF_DUMP || !last ||
	    chain->marks[last] & XP_UNWIND_INTERRUPTED)
		return NULL;
	size_t at = nr_above(thread, chain->sps[last]);

	/* A thread that is new has no frames, nor memory for them. */
	if (at >= thread->nr || !is_same(&thread->frames[at], chain, last) ||
	    time_ns < thread->frames[at].from_ns)
		return NULL;
	return &thread->frames[at];
}

static size_t join(const struct known_frame *reached, struct xp_unwind_chain *chain)
{
	size_t nr = 0;

	for (; reached->has_caller && chain->nr < chain->max; nr++) {
		reached--;
		chain->pcs[chain->nr] = reached->pc;
		chain->sps[chain->nr] = reached->sp;
		chain->marks[chain->nr++] = reached->marks | XP_UNWIND_JOINED;
	}
	if (reached->is_outermost)
		chain->end = XP_UNWIND_COMPLETE;
	else if (reached->has_caller)
		chain->end = XP_UNWIND_LIMIT;
	return nr;
}

/*
 * Replaces all up to the outermost frame of the chain by the chain, whose frames from @first on
 * were seen. @has_caller: the frame above it is its caller
 */
static void note(struct xp_joiner *joiner, struct known_thread *thread,
		 const struct xp_unwind_chain *chain, size_t first, bool has_caller,
		 uint64_t time_ns)
{
	size_t above = nr_above(thread, chain->sps[chain->nr - 1]);
	size_t nr = chain->nr - first;
	bool is_as_before = true;

	if (above >= FRAMES_MAX)
		return;
	if (nr > FRAMES_MAX - above)
		nr = FRAMES_MAX - above;
	if (!make_room(joiner, thread, above + nr)) {
		thread->nr = 0;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		size_t from = chain->nr - 1 - i;
		struct known_frame *frame = &thread->frames[above + i];
		uint64_t from_ns = time_ns;

		is_as_before = is_as_before && above + i < thread->nr &&
			       is_same(frame, chain, from) && (i == 0 || frame->has_caller);
		if (is_as_before)
			from_ns = frame->from_ns;
		*frame = (struct known_frame){ .sp = chain->sps[from],
					       .pc = chain->pcs[from],
					       .from_ns = from_ns,
					       .to_ns = time_ns,
					       .has_caller = i || has_caller,
					       .is_outermost = !i && !has_caller &&
							       chain->end == XP_UNWIND_COMPLETE,
					       .marks = chain->marks[from] };
	}
	thread->nr = above + nr;
	thread->latest_ns = time_ns;
}

size_t xp_joiner_add(struct xp_joiner *joiner, const struct xp_join_thread *is,
		     struct xp_unwind_chain *chain)
{
	struct known_thread *thread = is->tid > 0 ? find_thread(joiner, is->tid) : NULL;
	struct xp_unwind_chain seen = *chain;
	size_t nr = 0;

	if (is->tid <= 0 || !chain->nr)
		return 0;
	if (!thread)
		thread = make_thread(joiner, is);
	check_life(thread, is);
	check_maps(thread, is);
	const struct known_frame *reached = find_reached(thread, chain, is->time_ns);
	bool has_caller = reached && reached->has_caller;
	if (has_caller)
		nr = join(reached, chain);
	/* Rings of several CPUs come one after the other. */
	if (is->time_ns >= thread->latest_ns)
		note(joiner, thread, &seen, first_on_stack(&seen), has_caller, is->time_ns);
	return nr;
}
