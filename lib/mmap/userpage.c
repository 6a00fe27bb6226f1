/* SPDX-License-Identifier: MIT */
/*
 * Counts read from user space: the page is copied under its sequence lock together with the
 * counter and the clock, and only a copy that is known to be whole is computed with.
 *
 * Source: perf_event_open(2), "MMAP layout": rdpmc and cap_user_time; linux/perf_event.h, the
 * comments in struct perf_event_mmap_page.
 */
#include "userpage.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uapi.h"

#define SAME_PLACE(field)                                                                          \
	_Static_assert(offsetof(struct xp_userpage, field) ==                                      \
			       offsetof(struct perf_event_mmap_page, field),                       \
		       "struct xp_userpage: " #field " is not where the kernel has it")

SAME_PLACE(lock);
SAME_PLACE(index);
SAME_PLACE(offset);
SAME_PLACE(time_running);
SAME_PLACE(capabilities);
SAME_PLACE(pmc_width);
SAME_PLACE(time_mult);
SAME_PLACE(time_zero);
/* The two newest follow size; headers before Linux 5.9 have no name for their place. */
_Static_assert(offsetof(struct xp_userpage, time_cycles) == 80, "as in linux/perf_event.h");
_Static_assert(offsetof(struct xp_userpage, time_mask) == 88, "as in linux/perf_event.h");

/* A page that changes this often between two looks is not being written by a kernel. */
enum { TRIES = 100 };

/* What one pass over the page saw. */
struct snapshot {
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

int xp_userpage_map(const struct xp_sys *sys, int fd, const volatile struct xp_userpage **ret_page)
{
	void *addr = NULL;
	int err = sys->mmap(sys, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, fd, 0, &addr);

	if (err)
		return err;
	*ret_page = addr;
	return 0;
}

void xp_userpage_unmap(const struct xp_sys *sys, const volatile struct xp_userpage *page)
{
	if (page)
		sys->munmap(sys, (void *)page, (size_t)sysconf(_SC_PAGESIZE));
}

/* One pass; false if the kernel wrote meanwhile, and what was seen may not belong together. */
static bool take(const volatile struct xp_userpage *page, const struct xp_arch *arch,
		 struct snapshot *s)
{
	uint32_t seq = page->lock;

	if (seq & 1)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	s->capabilities = page->capabilities;
	s->enabled_ns = page->time_enabled;
	s->running_ns = page->time_running;
	s->index = page->index;
	s->offset = (uint64_t)page->offset;
	s->pmc_width = page->pmc_width;
	s->has_counter = s->index && (s->capabilities & XP_PAGE_CAP_RDPMC) &&
			 arch->rdpmc(arch, s->index - 1, &s->counter);
	if (s->capabilities & XP_PAGE_CAP_TIME) {
		s->ticks = arch->timestamp(arch);
		s->time_offset = page->time_offset;
		s->time_mult = page->time_mult;
		s->time_shift = page->time_shift;
		s->time_cycles = page->time_cycles;
		s->time_mask = page->time_mask;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return page->lock == seq;
}

/* The low @width bits of @value as a signed number, 1 <= @width <= 64. */
static uint64_t sign_extend(uint64_t value, unsigned int width)
{
	unsigned int unused = 64 - width;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Nanoseconds since the page's times were written; 0 if it has no clock. */
static uint64_t elapsed_ns(const struct snapshot *s)
{
	uint64_t ticks = s->ticks;

	/* Up to a shift of 32 no product below overflows; the kernel uses no larger one. */
	if (!(s->capabilities & XP_PAGE_CAP_TIME) || s->time_shift > 32)
		return 0;
	if (s->capabilities & XP_PAGE_CAP_TIME_SHORT)
		ticks = s->time_cycles + ((ticks - s->time_cycles) & s->time_mask);

	uint64_t whole = ticks >> s->time_shift;
	uint64_t rest = ticks & (((uint64_t)1 << s->time_shift) - 1);
	uint64_t ns =
		s->time_offset + whole * s->time_mult + ((rest * s->time_mult) >> s->time_shift);

	/* Two CPUs' clocks may differ by a few ticks: time does not run backwards. */
	return (int64_t)ns < 0 ? 0 : ns;
}

int xp_userpage_read(const volatile struct xp_userpage *page, const struct xp_arch *arch,
		     struct xp_count *ret_count)
{
	struct snapshot s;
	int tries = TRIES;

	if (!arch->has_rdpmc)
		return -EOPNOTSUPP;
	while (!take(page, arch, &s))
		if (!--tries)
			return -EAGAIN;
	/* The index first: software events may have the capability and a width of 0. */
	if (!s.index)
		return -EAGAIN;
	if (!s.has_counter || s.pmc_width < 1 || s.pmc_width > 64)
		return -EOPNOTSUPP;

	uint64_t since_ns = elapsed_ns(&s);
	/* An event on a counter has run, and 0 would say that it never did. */
	if (!since_ns && !s.running_ns)
		since_ns = 1;
	*ret_count = (struct xp_count){
		.value = s.offset + sign_extend(s.counter, s.pmc_width),
		.enabled_ns = s.enabled_ns + since_ns,
		.running_ns = s.running_ns + since_ns,
	};
	return 0;
}

/* One pass; false as with take(). */
static bool take_conv(const volatile struct xp_userpage *page, uint64_t *ret_capabilities,
		      struct xp_time_conv *conv)
{
	uint32_t seq = page->lock;

	if (seq & 1)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*ret_capabilities = page->capabilities;
	*conv = (struct xp_time_conv){ .shift = page->time_shift,
				       .mult = page->time_mult,
				       .zero = page->time_zero,
				       .cycles = page->time_cycles,
				       .mask = page->time_mask };
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return page->lock == seq;
}

int xp_userpage_time_conv(const volatile struct xp_userpage *page, struct xp_time_conv *ret_conv)
{
	struct xp_time_conv conv;
	uint64_t capabilities;
	int tries = TRIES;

	while (!take_conv(page, &capabilities, &conv))
		if (!--tries)
			return -EAGAIN;
	if (!(capabilities & XP_PAGE_CAP_TIME))
		return -EOPNOTSUPP;
	conv.has_zero = capabilities & XP_PAGE_CAP_TIME_ZERO;
	conv.has_short = capabilities & XP_PAGE_CAP_TIME_SHORT;
	*ret_conv = conv;
	return 0;
}
