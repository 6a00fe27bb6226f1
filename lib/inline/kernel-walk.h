/* SPDX-License-Identifier: MIT */
/*
 * A sample whose user call chain was made in the kernel, as BPF writes it: the raw data of a sample
 * of an event of its own, which has time, task, CPU and the kernel's part of the chain. The
 * recorder makes a sample of the event of it that it is of.
 */
#ifndef INLINE_KERNEL_WALK_H
#define INLINE_KERNEL_WALK_H

#include <linux/types.h>

enum { WALKED_FRAMES_MAX = 1023 };

/*
 * @id: of the event, as in its samples; @period: of the sample, events
 * @known_ns: maps of the process were known up to then, by CLOCK_MONOTONIC, or later
 * @is_cut: there are more frames than fit; else the chain is complete
 * @ips: from the innermost outwards; of callers in the call, an address before the one returned to
 */
struct walked {
	__u64 id;
	__u64 period;
	__u64 known_ns;
	__u32 nr;
	__u32 is_cut;
	__u64 ips[WALKED_FRAMES_MAX];
};

#endif
