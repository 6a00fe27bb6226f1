/* SPDX-License-Identifier: MIT */
/* Contents of a ring as bytes, for the recorder, which copies whole rounds. */
#ifndef MMAP_RING_PIECES_H
#define MMAP_RING_PIECES_H

#include <xperf/ring.h>

/*
 * What is left of what xp_ring_begin() has seen, as bytes: first piece, then second (where the ring
 * wraps).
 *
 * Returns the number of pieces, 0 .. 2; valid until xp_ring_consume().
 */
int xp_ring_pieces(const struct xp_ring *ring, struct xp_piece ret_pieces[2]);

/*
 * New bytes of the AUX area.
 * @ret_offset: position of the first one since the beginning, bytes; of an overwritten area, the
 *              place in it
 *
 * An overwritten area is given whole, the oldest bytes first; it is zero where nothing was written.
 *
 * Returns the number of pieces, 0 .. 2; valid until xp_ring_aux_consume().
 */
int xp_ring_aux_pieces(struct xp_ring *ring, struct xp_piece ret_pieces[2], uint64_t *ret_offset);

/* Gives the kernel back @bytes of the AUX area; nothing of an overwritten one. */
void xp_ring_aux_consume(struct xp_ring *ring, size_t bytes);

#endif
