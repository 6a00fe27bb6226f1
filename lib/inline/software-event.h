/* SPDX-License-Identifier: MIT */
/* Kinds of software events. */
#ifndef INLINE_SOFTWARE_EVENT_H
#define INLINE_SOFTWARE_EVENT_H

#include <stdbool.h>
#include <xperf/attr.h>

/* A clock: an event that counts nanoseconds. */
static inline bool is_clock_attr(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_SOFTWARE &&
	       (attr->config == XP_SW_CPU_CLOCK || attr->config == XP_SW_TASK_CLOCK);
}

/* An event that the kernel samples for all that have opened it at once. The others have timers of
 * their own, never happen, or are written by a program. */
static inline bool is_shared_software_event(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_SOFTWARE && !is_clock_attr(attr) &&
	       attr->config != XP_SW_DUMMY && attr->config != XP_SW_BPF_OUTPUT;
}

#endif
