/* SPDX-License-Identifier: MIT */
/* The page on which the kernel publishes an event's state, and what a counter reads by it. */
#ifndef MMAP_USERPAGE_H
#define MMAP_USERPAGE_H

#include <xperf/arch.h>
#include <xperf/evsel.h>
#include <xperf/ring.h>
#include <xperf/sys.h>

/*
 * struct xp_userpage - struct perf_event_mmap_page, as far as counting needs it
 *
 * Complete up to time_mask, whatever the age of the installed header.
 * Source: perf_event_open(2), "MMAP layout"; linux/perf_event.h (Linux 7.2).
 */
struct xp_userpage {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;  /* odd while the kernel writes; another number when it has written */
	uint32_t index; /* hardware counter + 1; 0: on no counter now */
	int64_t offset; /* plus the counter is the count */
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t capabilities; /* enum xp_page_cap */
	uint16_t pmc_width;    /* valid bits of the counter */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
};

/* Bits of capabilities. Before Linux 3.12 all but bit 0 are clear. */
enum xp_page_cap {
	XP_PAGE_CAP_RDPMC = 1 << 2,
	XP_PAGE_CAP_TIME = 1 << 3,
	XP_PAGE_CAP_TIME_ZERO = 1 << 4,  /* time_zero: time stamps, not only durations */
	XP_PAGE_CAP_TIME_SHORT = 1 << 5, /* Linux 5.9: the clock has fewer than 64 bits */
};

/*
 * Maps an event's page for reading; no ring buffer comes with it.
 * Returns 0 or the kernel's errno: -EPERM when too much memory is locked, -EINVAL for an
 * inherited event. xp_userpage_unmap() gives it back.
 */
int xp_userpage_map(const struct xp_sys *sys, int fd, const volatile struct xp_userpage **ret_page);

/* @page may be NULL. */
void xp_userpage_unmap(const struct xp_sys *sys, const volatile struct xp_userpage *page);

/*
 * Reads the event's count and times without a system call. Only the thread the event counts may
 * call it: any other would read some other counter of its own CPU.
 *
 * Without XP_PAGE_CAP_TIME (a guest with a paravirtual clock) both times are those of the last
 * time the event was put on a counter, but at least 1 ns: the count and the multiplexed share
 * hold, the times lag.
 *
 * Returns 0, or, with *ret_count untouched and read() the way to go on:
 *   -EOPNOTSUPP  this machine, kernel, setting or event does not let user space read counters
 *   -EAGAIN      the event is on no counter now, or the page does not hold still
 */
int xp_userpage_read(const volatile struct xp_userpage *page, const struct xp_arch *arch,
		     struct xp_count *ret_count);

/*
 * Reads how the processor's time stamps become nanoseconds.
 * Returns 0, -EOPNOTSUPP (the page does not say) or -EAGAIN (the page does not hold still).
 */
int xp_userpage_time_conv(const volatile struct xp_userpage *page, struct xp_time_conv *ret_conv);

#endif
