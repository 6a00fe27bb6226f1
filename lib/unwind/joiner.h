/* SPDX-License-Identifier: MIT */
/*
 * Completes call chains that end where the copy of the stack ends, from what earlier samples of the
 * same thread have shown of the part of the stack that was not copied.
 *
 * Of each thread it keeps one stack: the frames that were seen last and can still be there. A
 * sample shows that frames below its stack pointer have returned, and so have all others between it
 * and the outermost frame that its copy reaches, if they are not in its chain. If that outermost
 * frame is known, with the same stack pointer and the same return address into it, its callers are
 * those that it had. That can be wrong in one way only: between the two samples the function has
 * returned and was called again by another path, at the same depth to the byte, with no sample
 * between them that shows it. Such frames are marked, and never pass for seen.
 */
#ifndef UNWIND_JOINER_H
#define UNWIND_JOINER_H

#include <xperf/api.h>

struct xp_joiner;
struct xp_unwind_chain;

/*
 * Whose chain it is.
 * @space: as of struct xp_unwind_start; 0: none
 * @is_mapped: whether what is mapped at an address has been there since a time; not asked while
 *             @space is the same
 */
struct xp_join_thread {
	int32_t pid, tid;
	uint64_t time_ns;
	uint64_t space;
	bool (*is_mapped)(void *data, uint64_t address, uint64_t since_ns);
	void *data;
};

/* Returns 0 or -ENOMEM. Its memory is bounded: threads that were not seen for longest are
 * forgotten. */
int xp_joiner_new(struct xp_joiner **ret_joiner);
/* NULL is allowed. */
void xp_joiner_free(struct xp_joiner *joiner);
/* A thread has begun, executed another program or ended: what was seen of it before is not true
 * from @time_ns on. */
void xp_joiner_forget(struct xp_joiner *joiner, int32_t tid, uint64_t time_ns);
/*
 * Notes a chain, from xp_unwinder_walk() with stack pointers and marks, and adds the frames that
 * its copy of the stack did not reach, marked XP_UNWIND_JOINED. The chain is complete then if they
 * are. Returns how many.
 */
size_t xp_joiner_add(struct xp_joiner *joiner, const struct xp_join_thread *thread,
		     struct xp_unwind_chain *chain);

#endif
