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
	COUNTING_RUNS,    /* BPF programs while they run: one slot */
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

/*
 * The run of a BPF program that is counted on a CPU, and how many were. A run is known by the place
 * where the kernel has put its arguments, which it has for itself until it ends.
 */
struct counting_run {
	__u64 args; /* 0: none runs */
	__u64 task, switches;
	__u64 nr_counted;
	__u64 nr_broken; /* not counted: another task ran before they ended */
};

#endif
