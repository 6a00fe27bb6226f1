/* SPDX-License-Identifier: MIT */
/* What the programs of function-calls.bpf.c and function-calls.c share. */
#ifndef BPF_FUNCTION_CALLS_H
#define BPF_FUNCTION_CALLS_H

#include <linux/types.h>

#include "latency.h"

enum { FUNCTION_EVENTS_MAX = 8 };

/* Constants of the programs. */
struct function_setup {
	__u32 nr_events;
	__u32 nr_cpus;   /* numbers of CPUs are less */
	__u32 all_tasks; /* whatever runs is counted */
};

/* A probe's cookie: the function's number and this bit. */
#define FUNCTION_HAS_ENDS (1ULL << 32)

/* What an event counted in the @calls for which that is certain. */
struct function_event {
	__u64 value;
	__u64 calls;
};

/* Of one function. */
struct function_sum {
	__u64 calls;
	__u64 timed; /* calls whose beginning and end were seen */
	__u64 total_ns;
	__u64 max_ns;
	__u64 max_lost; /* calls that may have been longer */
	__u64 left_out; /* calls that came while a program worked */
	struct function_event events[FUNCTION_EVENTS_MAX];
	__u64 buckets[LATENCY_BUCKETS];
};

#endif
