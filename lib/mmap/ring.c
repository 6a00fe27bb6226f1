/* SPDX-License-Identifier: MIT */
/*
 * Records as the kernel writes them: found, checked, handed out in place, given back.
 *
 * The kernel moves data_head after it has written, and writes no further than data_tail: head is
 * read with acquire before the records are, tail is written with release after. A ring mapped
 * without write permission has no tail: the kernel then overwrites, and with write_backward head
 * goes down, so that from head upwards lie the newest record, the one before it, and so on, until
 * one that is overwritten in part.
 *
 * Source: perf_event_open(2), "MMAP layout"; linux/perf_event.h, struct perf_event_mmap_page,
 * data_head; kernel/events/ring_buffer.c, perf_output_begin_backward().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/record.h>

#include "ctx.h"
#include "opts.h"
#include "ring-impl.h"
#include "ring-pieces.h"
#include "userpage.h"

enum { RECORD_MAX = UINT16_MAX + 1 };

static bool is_power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

static bool opts_are_good(const struct xp_ring_opts *opts, size_t page_bytes)
{
	size_t most = SIZE_MAX / 4 / page_bytes;

	if (!is_power_of_two(opts->pages) || opts->pages > most)
		return false;
	/* The AUX area is asked for on the ring's own page, which must be writable for that. */
	return !opts->aux_pages ||
	       (!opts->overwrite && is_power_of_two(opts->aux_pages) && opts->aux_pages <= most);
}

static int map_data(struct xp_ring *ring, int fd, size_t page_bytes)
{
	int prot = ring->overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *addr = NULL;
	int err = ring->sys->mmap(ring->sys, page_bytes + ring->bytes, prot, fd, 0, &addr);

	if (err)
		return err;
	ring->page = addr;
	ring->data = (const char *)addr + page_bytes;
	return 0;
}

int xp_ring_map(struct xp_ctx *ctx, int fd, const struct xp_ring_opts *opts,
		struct xp_ring **ret_ring)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct xp_ring_opts o = { 0 };

	int err = XP_OPTS_COPY(&o, opts, struct xp_ring_opts, aux_overwrite, NULL);

	if (err)
		return err;
	if (!opts_are_good(&o, page_bytes))
		return -EINVAL;

	struct xp_ring *ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->ctx = ctx;
	ring->sys = ctx->sys;
	ring->bytes = o.pages * page_bytes;
	ring->overwrite = o.overwrite;
	ring->joined = malloc(ring->bytes < RECORD_MAX ? ring->bytes : RECORD_MAX);
	err = ring->joined ? map_data(ring, fd, page_bytes) : -ENOMEM;
	if (!err && o.aux_pages)
		err = xp_ring_map_aux(ring, fd, o.aux_pages * page_bytes, o.aux_overwrite);
	if (err) {
		xp_ring_unmap(ring);
		return err;
	}
	if (!ring->overwrite)
		ring->at = ring->end = ring->page->data_tail;
	*ret_ring = ring;
	return 0;
}

void xp_ring_unmap(struct xp_ring *ring)
{
	if (!ring)
		return;
	/* A child by fork(2) has no rings, and may have something else there. */
	bool is_here = xp_ctx_is_here(ring->ctx);
	if (is_here && ring->aux)
		ring->sys->munmap(ring->sys, (void *)ring->aux, ring->aux_bytes);
	if (is_here && ring->page)
		ring->sys->munmap(ring->sys, ring->page,
				  (size_t)(ring->data - (const char *)ring->page) + ring->bytes);
	free(ring->joined);
	free(ring);
}

size_t xp_ring_bytes(const struct xp_ring *ring)
{
	return ring->bytes;
}

int xp_ring_cut(const char *area, size_t area_bytes, uint64_t from, uint64_t len,
		struct xp_piece ret_pieces[2])
{
	size_t place = from & (area_bytes - 1);
	size_t first = area_bytes - place;

	if (!len)
		return 0;
	if (len < first)
		first = len;
	ret_pieces[0] = (struct xp_piece){ area + place, first };
	ret_pieces[1] = (struct xp_piece){ area, len - first };
	return first < len ? 2 : 1;
}

static uint64_t load_head(const struct xp_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Headers do not wrap: records begin at multiples of 8. */
static const struct xp_record *header_at(const struct xp_ring *ring, uint64_t at)
{
	return (const struct xp_record *)(ring->data + (at & (ring->bytes - 1)));
}

/* The one check of sizes: that of the record at @at, with @left bytes to the end; 0: damaged. */
static size_t record_size(const struct xp_ring *ring, uint64_t at, uint64_t left)
{
	if (at % sizeof(struct xp_record) || left < sizeof(struct xp_record))
		return 0;
	size_t size = header_at(ring, at)->size;
	return size < sizeof(struct xp_record) || size % 8 || size > left ? 0 : size;
}

/* From the newest record to the oldest one that is whole. */
static void see_backward(struct xp_ring *ring)
{
	uint64_t head = load_head(ring), span = ring->seen - head;
	bool full = span > ring->bytes;

	if (full)
		span = ring->bytes;
	ring->at = ring->end = ring->newest = head;
	for (size_t size; span; span -= size, ring->end += size) {
		size = record_size(ring, ring->end, span);
		if (size)
			continue;
		/* Nothing was ever written here, or the newest lies over this one's end. */
		const struct xp_record *header =
			span < sizeof(*header) ? NULL : header_at(ring, ring->end);
		ring->damaged = !header || (header->size && !(full && header->size > span));
		return;
	}
}

size_t xp_ring_begin(struct xp_ring *ring)
{
	if (ring->damaged)
		return 0;
	if (ring->overwrite) {
		see_backward(ring);
		return ring->end - ring->at;
	}
	uint64_t head = load_head(ring);
	ring->damaged = head - ring->at > ring->bytes;
	ring->end = ring->damaged ? ring->at : head;
	return ring->end - ring->at;
}

/* A record in the ring's own memory if it wraps, else where it lies. */
static const struct xp_record *whole(struct xp_ring *ring, size_t size)
{
	struct xp_piece pieces[2];

	if ((ring->at & (ring->bytes - 1)) + size <= ring->bytes)
		return header_at(ring, ring->at);
	xp_ring_cut(ring->data, ring->bytes, ring->at, size, pieces);
	memcpy(ring->joined, pieces[0].at, pieces[0].len);
	memcpy((char *)ring->joined + pieces[0].len, pieces[1].at, pieces[1].len);
	return ring->joined;
}

int xp_ring_next(struct xp_ring *ring, const struct xp_record **ret_rec)
{
	uint64_t left = ring->end - ring->at;

	if (!left)
		return ring->damaged ? -EBADMSG : 0;
	size_t size = record_size(ring, ring->at, left);
	if (!size) {
		ring->damaged = true;
		ring->end = ring->at;
		return -EBADMSG;
	}
	*ret_rec = whole(ring, size);
	ring->at += size;
	return 1;
}

int xp_ring_pieces(const struct xp_ring *ring, struct xp_piece ret_pieces[2])
{
	return xp_ring_cut(ring->data, ring->bytes, ring->at, ring->end - ring->at, ret_pieces);
}

void xp_ring_skip(struct xp_ring *ring, size_t bytes)
{
	uint64_t left = ring->end - ring->at;

	ring->at += bytes < left ? bytes : left;
}

void xp_ring_consume(struct xp_ring *ring)
{
	if (!ring->overwrite)
		__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
	else if (ring->at == ring->end)
		ring->seen = ring->newest;
}

void xp_ring_reset(struct xp_ring *ring)
{
	ring->at = ring->end = ring->newest = load_head(ring);
	ring->damaged = false;
	xp_ring_consume(ring);
}

int xp_ring_time_conv(const struct xp_ring *ring, struct xp_time_conv *ret_conv)
{
	return xp_userpage_time_conv((const volatile struct xp_userpage *)ring->page, ret_conv);
}
