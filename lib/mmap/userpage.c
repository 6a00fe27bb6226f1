/* SPDX-License-Identifier: MIT */
/* An event's page: mapped, read as <xperf/userpage.h> does, and asked for its clock. */
#include "userpage.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/arch.h>
#include <xperf/ring.h>
#include <xperf/sys.h>
#include <xperf/userpage.h>

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

int xp_userpage_read(const volatile struct xp_userpage *page, const struct xp_arch *arch,
		     struct xp_count *ret_count)
{
	const struct xp_page_reader reader = { arch, arch->rdpmc, arch->timestamp };

	/* The same with the instructions in line: two thirds of the cost. */
	if (arch == xp_arch_native())
		return xp_page_read(page, ret_count);
	return arch->has_rdpmc ? xp_page_read_with(page, &reader, ret_count) : -EOPNOTSUPP;
}

/* One pass over the clock; false if the kernel wrote meanwhile. */
static bool read_conv(const volatile struct xp_userpage *page, uint64_t *ret_capabilities,
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

	while (!read_conv(page, &capabilities, &conv))
		if (!--tries)
			return -EAGAIN;
	if (!(capabilities & XP_PAGE_CAP_TIME))
		return -EOPNOTSUPP;
	conv.has_zero = capabilities & XP_PAGE_CAP_TIME_ZERO;
	conv.has_short = capabilities & XP_PAGE_CAP_TIME_SHORT;
	*ret_conv = conv;
	return 0;
}
