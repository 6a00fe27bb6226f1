/* SPDX-License-Identifier: MIT */
/*
 * The stage of the writer that turns stacks into call chains.
 *
 * Blocks wait until the round after theirs is complete. What was mapped when a sample was taken may
 * be in another ring than the sample, and in one that was read before it came: then it is in the
 * next round. The side band of both is noted in the order of time, and their samples are unwound,
 * each by the maps of its own time.
 */
#ifndef SESSION_UNWINDING_H
#define SESSION_UNWINDING_H

#include "recorder-impl.h"

struct xp_unwinding;

/*
 * @events: attributes and ids, borrowed
 * Returns 0, -EOPNOTSUPP (unwinding is not known for this machine), -ENOMEM.
 */
int xp_unwinding_new(const struct xp_recorder_opts *opts, const struct xp_shed *events,
		     bool has_overwritten, struct xp_unwinding **ret_unwinding);
void xp_unwinding_free(struct xp_unwinding *unwinding);
/*
 * Adds a block to those that wait. Returns those that wait no longer, in order, linked by next;
 * NULL: none. Their side band, and that of the next round, is noted.
 */
struct xp_block *xp_unwinding_hold(struct xp_unwinding *unwinding, struct xp_block *block);
/* Starts a second thread, which computes chains where one is not enough. Returns 0 or a negative
 * errno: there is one only. */
int xp_unwinding_start_thread(struct xp_unwinding *unwinding);
void xp_unwinding_end_thread(struct xp_unwinding *unwinding);
/*
 * Computes chains of blocks that wait no longer, before xp_unwinding_block() needs them, by both
 * threads, if the writer is behind. What comes out is the same.
 * @backlog: bytes of all blocks that the writer is not done with
 */
void xp_unwinding_ahead(struct xp_unwinding *unwinding, const struct xp_block *blocks,
			size_t backlog);
/* How many chains the second thread has computed. */
uint64_t xp_unwinding_nr_second(const struct xp_unwinding *unwinding);
/* Turns the stacks in a block into call chains, and counts them. */
void xp_unwinding_block(struct xp_unwinding *unwinding, struct xp_scan *scan,
			struct xp_block *block);
/* Adds how chains ended, after the writer's end. Returns 0 or -ENOMEM. */
int xp_unwinding_ends(const struct xp_unwinding *unwinding, struct xp_chain_ends *ends);

#endif
