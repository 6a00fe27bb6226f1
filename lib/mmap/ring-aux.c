/* SPDX-License-Identifier: MIT */
/*
 * The AUX area: bytes of a tracing PMU beside the records, with a head and a tail of their own.
 *
 * Where and how large it is, is written on the ring's page before it is mapped. Mapped without
 * write permission it is overwritten, and its head is then only where the newest byte is: how far
 * back the data goes, the bytes themselves must say.
 *
 * Source: perf_event_open(2), "MMAP layout", aux_offset; Documentation of intel_pt snapshot mode.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "ring-impl.h"
#include "ring-pieces.h"

int xp_ring_map_aux(struct xp_ring *ring, int fd, size_t bytes, bool overwrite)
{
	uint64_t offset = (uint64_t)(ring->data - (const char *)ring->page) + ring->bytes;
	int prot = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *addr = NULL;

	ring->page->aux_offset = offset;
	ring->page->aux_size = bytes;
	int err = ring->sys->mmap(ring->sys, bytes, prot, fd, offset, &addr);
	if (err)
		return err;
	ring->aux = addr;
	ring->aux_bytes = bytes;
	ring->aux_overwrite = overwrite;
	return 0;
}

int xp_ring_aux_pieces(struct xp_ring *ring, struct xp_piece ret_pieces[2], uint64_t *ret_offset)
{
	if (!ring->aux)
		return 0;

	uint64_t head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t from = ring->aux_overwrite ? head : ring->page->aux_tail;
	uint64_t len = ring->aux_overwrite ? ring->aux_bytes : head - from;

	/* Never more than there is room for: what is older is gone. */
	if (len > ring->aux_bytes) {
		from = head - ring->aux_bytes;
		len = ring->aux_bytes;
	}
	*ret_offset = from;
	return xp_ring_cut(ring->aux, ring->aux_bytes, from, len, ret_pieces);
}

void xp_ring_aux_consume(struct xp_ring *ring, size_t bytes)
{
	if (!ring->aux || ring->aux_overwrite)
		return;
	uint64_t tail = ring->page->aux_tail;
	uint64_t left = ring->page->aux_head - tail;

	__atomic_store_n(&ring->page->aux_tail, tail + (bytes < left ? bytes : left),
			 __ATOMIC_RELEASE);
}
