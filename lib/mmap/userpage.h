/* SPDX-License-Identifier: MIT */
/* An event's page: mapping it, and reading it through the processor seam. */
#ifndef MMAP_USERPAGE_H
#define MMAP_USERPAGE_H

#include <xperf/api.h>

struct xp_arch;
struct xp_count;
struct xp_sys;
struct xp_time_conv;
struct xp_userpage;

/*
 * Maps an event's page for reading; no ring buffer comes with it.
 * Returns 0 or the kernel's errno: -EPERM when too much memory is locked, -EINVAL for an
 * inherited event. xp_userpage_unmap() gives it back.
 */
int xp_userpage_map(const struct xp_sys *sys, int fd, const volatile struct xp_userpage **ret_page);

/* @page may be NULL. */
void xp_userpage_unmap(const struct xp_sys *sys, const volatile struct xp_userpage *page);

/* As xp_page_read(), by the counters and the clock of @arch. */
int xp_userpage_read(const volatile struct xp_userpage *page, const struct xp_arch *arch,
		     struct xp_count *ret_count);

/*
 * Reads how the processor's time stamps become nanoseconds.
 * Returns 0, -EOPNOTSUPP (the page does not say) or -EAGAIN (the page does not hold still).
 */
int xp_userpage_time_conv(const volatile struct xp_userpage *page, struct xp_time_conv *ret_conv);

#endif
