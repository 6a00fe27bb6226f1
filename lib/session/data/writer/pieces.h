/* SPDX-License-Identifier: MIT */
/* Records as pieces of memory that are written together: how many are whole, and what they are. */
#ifndef SESSION_PIECES_H
#define SESSION_PIECES_H

#include <sys/uio.h>
#include <xperf/api.h>

struct xp_record;

/* Bytes of all pieces. */
size_t xp_pieces_len(const struct iovec *pieces, int nr);
/* Whole records at the beginning of @pieces that fit into @limit bytes, bytes outside included. */
uint64_t xp_pieces_whole(const struct iovec *pieces, int nr, uint64_t limit);
/* Samples in @pieces after the first @from bytes, which are whole records. */
uint64_t xp_pieces_samples(const struct iovec *pieces, int nr, uint64_t from);
/* Bytes that follow a record outside of it. */
uint64_t xp_record_outside(const struct xp_record *record);

#endif
