/* SPDX-License-Identifier: MIT */
/* One ring buffer: what the kernel writes for the events of a CPU or thread. */
#ifndef XPERF_RING_H
#define XPERF_RING_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_record;

XP_BEGIN_DECLS

/** struct xp_ring - a mapped ring buffer. One thread at a time; it may be another than the one that
 * mapped it. */
struct xp_ring;

/**
 * struct xp_ring_opts - how a ring is mapped
 * @size:      sizeof(struct xp_ring_opts), lets the struct grow
 * @pages:     data pages, a power of two
 * @overwrite: the kernel overwrites the oldest, and never waits for a reader: for events with
 *             write_backward; no AUX area goes with it
 * @aux_pages: pages of the AUX area, a power of two; 0: none
 * @aux_overwrite: the AUX area keeps the newest (snapshots)
 */
struct xp_ring_opts {
	size_t size;
	size_t pages;
	size_t aux_pages;
	bool overwrite;
	bool aux_overwrite;
	uint8_t padding[6]; /* never used */
};

/**
 * xp_ring_map - map the ring of an event
 * @fd: an open event; borrowed, and other events can be directed into its ring
 *
 * Returns 0, or
 *   -EINVAL  the pages are no power of two, the event is inherited without a CPU, or AUX pages
 *            are asked for with @overwrite
 *   -EPERM   more memory than perf_event_mlock_kb and RLIMIT_MEMLOCK allow
 *   -ENOMEM
 * Other negative errno: as mmap(2) gave it. Source: perf_event_open(2), "MMAP layout".
 */
XP_API int xp_ring_map(struct xp_ctx *ctx, int fd, const struct xp_ring_opts *opts,
		       struct xp_ring **ret_ring);
/** xp_ring_unmap - give a ring back; @ring may be NULL. */
XP_API void xp_ring_unmap(struct xp_ring *ring);
/** xp_ring_bytes - room for records. Returns bytes. */
XP_API size_t xp_ring_bytes(const struct xp_ring *ring);

/**
 * xp_ring_begin - look at what the kernel has written up to now
 *
 * An overwritten ring must be paused (PERF_EVENT_IOC_PAUSE_OUTPUT); it gives the newest first,
 * without what was there at the last xp_ring_consume().
 *
 * Returns the bytes of records that can be read; 0: none, or the ring is damaged, which
 * xp_ring_next() reports.
 */
XP_API size_t xp_ring_begin(struct xp_ring *ring);

/**
 * xp_ring_next - next record
 * @ret_rec: the record, valid until the next xp_ring_next() or xp_ring_consume() on @ring;
 *           a record that wraps around the end is copied into the ring's own memory
 *
 * Looks at what xp_ring_begin() has seen; does not wait. The kernel may not reuse the space before
 * xp_ring_consume().
 *
 * Returns 1 with a record, 0 when there is none, or
 *   -EBADMSG  a size smaller than a header, no multiple of 8, or larger than what is left; the ring
 *             is unusable until xp_ring_reset()
 *
 * Source: linux/perf_event.h, struct perf_event_mmap_page: data_head, data_tail and their barriers.
 */
XP_API int xp_ring_next(struct xp_ring *ring, const struct xp_record **ret_rec);

/** struct xp_piece - some bytes. */
struct xp_piece {
	const void *at;
	size_t len;
};

/** xp_ring_skip - pass over @bytes of what is left, as if xp_ring_next() had returned them. */
XP_API void xp_ring_skip(struct xp_ring *ring, size_t bytes);
/** xp_ring_consume - give the kernel back what was passed over. Of overwritten rings nothing is
 * given back; when all was passed over, only what comes later is seen again. */
XP_API void xp_ring_consume(struct xp_ring *ring);
/**
 * xp_ring_reset - throw away all there is, and be usable again.
 */
XP_API void xp_ring_reset(struct xp_ring *ring);

/**
 * struct xp_time_conv - how the processor's time stamps become nanoseconds
 *
 * Source: perf_event_open(2), "time_zero", "cap_user_time_short".
 */
struct xp_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask;
	bool has_zero, has_short;
};

/** xp_ring_time_conv - the conversion of a ring's page. Returns 0, or -EOPNOTSUPP (it has none),
 * -EAGAIN (the kernel was writing it all the time). */
XP_API int xp_ring_time_conv(const struct xp_ring *ring, struct xp_time_conv *ret_conv);

XP_END_DECLS

#endif
