/* SPDX-License-Identifier: MIT */
/*
 * The page on which the kernel publishes an event's state, and what a counter reads by it: the way
 * to read a count without a system call, whole in this header so that it can be inlined.
 *
 * Source: perf_event_open(2), "MMAP layout": rdpmc and cap_user_time; linux/perf_event.h, the
 * comments in struct perf_event_mmap_page.
 */
#ifndef XPERF_USERPAGE_H
#define XPERF_USERPAGE_H

#include <errno.h>
#include <xperf/api.h>
#include <xperf/evsel.h>
#include <xperf/processor.h>

struct xp_arch;

XP_BEGIN_DECLS

/**
 * struct xp_userpage - struct perf_event_mmap_page, as far as counting needs it
 * @lock:         odd while the kernel writes; another number when it has written
 * @index:        hardware counter + 1; 0: on no counter now
 * @offset:       plus the counter is the count
 * @capabilities: enum xp_page_cap
 * @pmc_width:    valid bits of the counter
 *
 * Complete up to time_mask, whatever the age of the installed header (Linux 7.2).
 */
struct xp_userpage {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;
	uint32_t index;
	int64_t offset;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t capabilities;
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
};

/** enum xp_page_cap - bits of capabilities; before Linux 3.12 all but bit 0 are clear */
enum xp_page_cap {
	XP_PAGE_CAP_RDPMC = 1 << 2,
	XP_PAGE_CAP_TIME = 1 << 3,
	XP_PAGE_CAP_TIME_ZERO = 1 << 4, /* time_zero: time stamps, not only durations */
	XP_PAGE_CAP_TIME_SHORT = 1 << 5 /* Linux 5.9: the clock has fewer than 64 bits */
};

/* What one pass over the page saw. */
struct xp_page_pass {
	uint64_t capabilities;
	uint64_t offset;
	uint64_t counter;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t ticks;
	uint64_t time_offset;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint32_t time_mult;
	uint32_t index;
	uint16_t time_shift;
	uint16_t pmc_width;
	bool has_counter;
};

/* How counter and clock are read: one of struct xp_arch's, or those of <xperf/processor.h>. */
struct xp_page_reader {
	const struct xp_arch *arch;
	bool (*counter)(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw);
	uint64_t (*ticks)(const struct xp_arch *arch);
};

#define XP_PAGE_INLINE static inline __attribute__((always_inline))

/* One pass; false if the kernel wrote meanwhile, and what was seen may not belong together. */
XP_PAGE_INLINE bool xp_page_read_pass(const volatile struct xp_userpage *page,
				      const struct xp_page_reader *reader,
				      struct xp_page_pass *ret_pass)
{
	const uint32_t seq = page->lock;

	if (seq & 1)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	ret_pass->capabilities = page->capabilities;
	ret_pass->enabled_ns = page->time_enabled;
	ret_pass->running_ns = page->time_running;
	ret_pass->index = page->index;
	ret_pass->offset = (uint64_t)page->offset;
	ret_pass->pmc_width = page->pmc_width;
	ret_pass->counter = 0;
	ret_pass->has_counter =
		ret_pass->index && (ret_pass->capabilities & XP_PAGE_CAP_RDPMC) &&
		reader->counter(reader->arch, ret_pass->index - 1, &ret_pass->counter);
	ret_pass->ticks =
		ret_pass->capabilities & XP_PAGE_CAP_TIME ? reader->ticks(reader->arch) : 0;
	ret_pass->time_offset = page->time_offset;
	ret_pass->time_mult = page->time_mult;
	ret_pass->time_shift = page->time_shift;
	ret_pass->time_cycles = page->time_cycles;
	ret_pass->time_mask = page->time_mask;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return page->lock == seq;
}

/* The low @width bits of @value as a signed number, 1 <= @width <= 64. */
XP_PAGE_INLINE uint64_t xp_page_sign_extend(uint64_t value, unsigned int width)
{
	const unsigned int unused = 64 - width;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Nanoseconds since the page's times were written; 0 if it has no clock. */
XP_PAGE_INLINE uint64_t xp_page_elapsed_ns(const struct xp_page_pass *pass)
{
	uint64_t ticks = pass->ticks;
	uint64_t whole, rest, ns;

	/* Up to a shift of 32 no product below overflows; the kernel uses no larger one. */
	if (!(pass->capabilities & XP_PAGE_CAP_TIME) || pass->time_shift > 32)
		return 0;
	if (pass->capabilities & XP_PAGE_CAP_TIME_SHORT)
		ticks = pass->time_cycles + ((ticks - pass->time_cycles) & pass->time_mask);
	whole = ticks >> pass->time_shift;
	rest = ticks & (((uint64_t)1 << pass->time_shift) - 1);
	ns = pass->time_offset + whole * pass->time_mult +
	     ((rest * pass->time_mult) >> pass->time_shift);
	/* Two CPUs' clocks may differ by a few ticks: time does not run backwards. */
	return (int64_t)ns < 0 ? 0 : ns;
}

XP_PAGE_INLINE int xp_page_read_with(const volatile struct xp_userpage *page,
				     const struct xp_page_reader *reader,
				     struct xp_count *ret_count)
{
	/* A page that changes this often between two looks is not being written by a kernel. */
	int tries = 100;
	struct xp_page_pass pass;
	uint64_t since_ns;

	while (!xp_page_read_pass(page, reader, &pass))
		if (!--tries)
			return -EAGAIN;
	/* The index first: software events may have the capability and a width of 0. */
	if (!pass.index)
		return -EAGAIN;
	if (!pass.has_counter || pass.pmc_width < 1 || pass.pmc_width > 64)
		return -EOPNOTSUPP;

	since_ns = xp_page_elapsed_ns(&pass);
	/* An event on a counter has run, and 0 would say that it never did. */
	if (!since_ns && !pass.running_ns)
		since_ns = 1;
	ret_count->value = pass.offset + xp_page_sign_extend(pass.counter, pass.pmc_width);
	ret_count->enabled_ns = pass.enabled_ns + since_ns;
	ret_count->running_ns = pass.running_ns + since_ns;
	ret_count->lost = 0;
	return 0;
}

/* Called through a pointer, which not all compilers replace at each level of optimization: these
 * two must not be always_inline. */
static inline bool xp_page_processor_counter(const struct xp_arch *arch, uint32_t counter,
					     uint64_t *ret_raw)
{
	(void)arch;
	return xp_processor_counter(counter, ret_raw);
}

static inline uint64_t xp_page_processor_ticks(const struct xp_arch *arch)
{
	(void)arch;
	return xp_processor_ticks();
}

/**
 * xp_page_read - read an event's count and times without a system call
 * @page:      of an event on the calling thread, see xp_self_event_init(). Any other thread would
 * read some other counter of its own CPU
 * @ret_count: written on success only
 *
 * May be called from a signal handler.
 *
 * Without XP_PAGE_CAP_TIME (a guest with a paravirtual clock) both times are those of the last
 * time the event was put on a counter, but at least 1 ns: the count and the multiplexed share
 * hold, the times lag.
 *
 * Returns 0, or, with read(2) the way to go on:
 *   -EOPNOTSUPP  this machine, kernel, setting or event does not let user space read counters
 *   -EAGAIN      the event is on no counter now, or the page does not hold still
 */
static inline int xp_page_read(const volatile struct xp_userpage *page, struct xp_count *ret_count)
{
	const struct xp_page_reader reader = { NULL, xp_page_processor_counter,
					       xp_page_processor_ticks };

	return xp_page_read_with(page, &reader, ret_count);
}

XP_END_DECLS

#endif
