/* SPDX-License-Identifier: MIT */
/* A ring from inside: ring.c has the records, ring-aux.c the AUX area. */
#ifndef MMAP_RING_IMPL_H
#define MMAP_RING_IMPL_H

#include <xperf/ring.h>

#include "uapi.h"

struct xp_ctx;
struct xp_record;
struct xp_sys;

/*
 * Positions count bytes since the ring began; the low bits are the place in the data. Those of
 * overwritten rings go down from 0 as the kernel writes.
 */
struct xp_ring {
	struct xp_ctx *ctx;
	const struct xp_sys *sys;
	struct perf_event_mmap_page *page;
	const char *data;
	size_t bytes;
	uint64_t at;           /* next record to be looked at */
	uint64_t end;          /* of what xp_ring_begin() has seen */
	uint64_t newest, seen; /* overwritten rings: head, and the head that was looked at before */
	bool overwrite;
	bool damaged;             /* at @end there is no record, though there should be one */
	struct xp_record *joined; /* copy of a record that wraps */

	const char *aux; /* NULL: none */
	size_t aux_bytes;
	bool aux_overwrite;
};

/* Bytes [@from, @from + @len) of an area of @area_bytes, a power of two, in one or two pieces.
 * Returns how many. */
int xp_ring_cut(const char *area, size_t area_bytes, uint64_t from, uint64_t len,
		struct xp_piece ret_pieces[2]);

/* Maps the AUX area of a ring that is mapped already. Returns 0 or the kernel's errno. */
int xp_ring_map_aux(struct xp_ring *ring, int fd, size_t bytes, bool overwrite);

#endif
