/* SPDX-License-Identifier: MIT */
/* What the programs of counting.bpf.c and counting.c share. */
#ifndef BPF_COUNTING_H
#define BPF_COUNTING_H

#include <linux/types.h>

/* What counts are added up for. Each is a slot, a number from 0. */
enum counting_kind {
	COUNTING_CPUS,    /* all that runs: one slot */
	COUNTING_CGROUPS, /* the nearest cgroup that has a slot, from a task's own upwards */
	COUNTING_TASKS,   /* tasks, and with them what they start */
};

enum { COUNTING_EVENTS_MAX = 64 };

/* Constants of the programs. */
struct counting_setup {
	__u32 kind;
	__u32 nr_events;
	__u32 nr_cpus;       /* numbers of CPUs are less */
	__u32 by_controller; /* cgroups are those of version 1 */
	__u32 at_exec;       /* tasks count from their exec on */
};

#endif
