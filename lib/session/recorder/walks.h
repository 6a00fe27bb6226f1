/* SPDX-License-Identifier: MIT */
/*
 * Call chains that two threads compute before the writer needs them. A chain depends on its sample
 * and on the maps only, which do not change meanwhile. So it does not matter which thread computes
 * it; what depends on the order of samples, the writer does when it comes to them.
 */
#ifndef SESSION_WALKS_H
#define SESSION_WALKS_H

#include "recorder-impl.h"
#include "walker.h"

struct xp_walks;

/*
 * @events: attributes and ids, borrowed
 * @kept_regs: as of struct xp_recorder_opts
 * @walker: the writer's, borrowed
 * Returns 0 or -ENOMEM.
 */
int xp_walks_new(const struct xp_shed *events, uint64_t kept_regs, struct xp_walker *walker,
		 struct xp_walks **ret_walks);
/* NULL is allowed. */
void xp_walks_free(struct xp_walks *walks);
/* Starts the second thread, which sleeps until there is something to compute. Without it,
 * xp_walks_run() does nothing. Returns 0 or a negative errno. */
int xp_walks_start(struct xp_walks *walks);
/* Ends it. */
void xp_walks_end(struct xp_walks *walks);
/* Computes chains of the samples of blocks that are linked by next, in the order in which they will
 * be asked for, as far as there is memory. Those that were computed before are forgotten. */
void xp_walks_run(struct xp_walks *walks, const struct xp_block *blocks);
/*
 * Gives the chain of a sample, the one that was entered, in the arrays of the writer's walker. Each
 * is given once, and those before it no more. Returns false: it was not computed.
 * @ret_is_walked: what xp_walker_walk() has returned
 */
bool xp_walks_next(struct xp_walks *walks, const struct xp_record *record,
		   struct xp_unwind_chain *ret_chain, bool *ret_is_walked);
/* How many chains the second thread has computed. */
uint64_t xp_walks_nr_second(const struct xp_walks *walks);

#endif
