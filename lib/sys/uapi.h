/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface: the installed headers, plus what newer kernels define.
 * The attribute itself is struct xp_attr in <xperf/attr.h>, checked against the header here.
 */
#ifndef SYS_UAPI_H
#define SYS_UAPI_H

#include <linux/perf_event.h>
#include <xperf/attr.h>

/* Linux 6.0 */
#define XP_FORMAT_LOST (1U << 4)

/* Linux 5.11 */
#define XP_SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define XP_SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
/* Linux 5.12 */
#define XP_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)

/* pidfd_open(2), Linux 6.9: a single thread */
#define XP_PIDFD_THREAD 0200

#define XP_SAME_PLACE(field)                                                                       \
	_Static_assert(offsetof(struct xp_attr, field) == offsetof(struct perf_event_attr, field), \
		       "struct xp_attr: " #field " is not where the kernel has it")

XP_SAME_PLACE(config);
XP_SAME_PLACE(sample_freq);
XP_SAME_PLACE(sample_type);
XP_SAME_PLACE(read_format);
XP_SAME_PLACE(wakeup_events);
XP_SAME_PLACE(bp_type);
XP_SAME_PLACE(config1);
XP_SAME_PLACE(config2);
XP_SAME_PLACE(branch_sample_type);
XP_SAME_PLACE(sample_regs_user);
XP_SAME_PLACE(sample_stack_user);
XP_SAME_PLACE(clockid);
XP_SAME_PLACE(sample_regs_intr);
XP_SAME_PLACE(aux_watermark);
XP_SAME_PLACE(sample_max_stack);

#endif
