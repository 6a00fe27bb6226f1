/* SPDX-License-Identifier: MIT */
/* What stack-sums.bpf.c and stack-waits.bpf.c have in common with what reads their sums. */
#ifndef BPF_STACK_SUMS_H
#define BPF_STACK_SUMS_H

#include <linux/types.h>

#include "stack-rules.h"

enum {
	STACK_FRAMES_MAX = 127, /* kernel.perf_event_max_stack, unless it is changed */
	STACK_SUMS_MAX = 16384,
	STACK_CHAINS_MAX = 8192,
	STACK_WAITS_MAX = 8192, /* tasks whose waits are followed at a time */
};

/* The generation that is added to, and whether nothing is added any more. */
enum { GENERATION_NUMBER = 1, GENERATION_STOPPED = 2 };

/* Who ended waits; all 0: nobody is known to have. @kernel, @user: as in struct stack_key; an
 * interrupt is no task. */
struct stack_waker {
	__u64 kernel, user;
	__u32 pid, tid;
	__u32 is_known, is_interrupt;
	char comm[16];
};

/* @kernel, @user: keys of parts of the call chain; 0: there is none. @waker: of waits, if wanted */
struct stack_key {
	__u64 kernel, user;
	__u64 cgroup;
	__u32 pid, tid;
	char comm[16];
	struct stack_waker waker;
};

struct stack_sum {
	__u64 samples, period;
	__u64 last_ns;  /* of the last sample */
	__u64 waker_ns; /* when and where its wait was ended; 0: that is not known */
	__u32 cpu, waker_cpu;
};

struct stack_chain {
	__u64 nr;
	__u64 ips[STACK_FRAMES_MAX];
};

/* Why a user part that was made by rules ends, and in which file. RULE_NR_ENDS: there is none. */
struct stack_end {
	__u32 why, file;
};

/* The wait of a task, from when it leaves its CPU; @off_ns 0: it runs, or does not wait. */
struct stack_wait {
	__u64 off_ns;
	struct stack_key key;
	struct stack_end end;
	__u64 cpu;
	struct stack_chain kernel, user;
};

/* Who woke a task, when and where, in the wait that began at @off_ns. */
struct stack_wake {
	__u64 off_ns, at_ns;
	struct stack_waker waker;
	struct stack_end end;
	__u64 cpu;
	struct stack_chain kernel, user;
};

/*
 * Of one CPU: what was summed, what had no room, and elements that were added to the maps. Of
 * waits, also switches that the program has seen, and those that began without room for the task.
 */
struct stack_tally {
	__u64 samples, period;
	__u64 missed, missed_period;
	__u64 new_sums, new_chains;
	__u64 switches, not_followed;
};

/* Of one CPU: user parts of call chains that were made by rules, by how they end. */
struct stack_ends {
	__u64 nr[RULE_NR_ENDS];
};

/* What is decided when the program is loaded. */
struct stack_constants {
	__u32 with_cgroups;
	__u32 with_rules; /* user parts of call chains are made by them */
	__u64 min_ns;     /* of waits; shorter ones are left out */
	__u32 with_wakers;
	__u32 padding;
};

#endif
