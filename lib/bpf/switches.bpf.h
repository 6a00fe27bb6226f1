/* SPDX-License-Identifier: MIT */
/* Whether another task ran between two moments. Source: linux/sched.h */
#ifndef BPF_SWITCHES_BPF_H
#define BPF_SWITCHES_BPF_H

#include "kernel.bpf.h"

struct task_struct___switches {
	unsigned long nvcsw, nivcsw;
} IN_KERNEL;

/* From the task that runs to others, until now. */
static __always_inline __u64 nr_switches(void)
{
	struct task_struct___switches *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

#endif
