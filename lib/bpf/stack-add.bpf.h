/* SPDX-License-Identifier: MIT */
/*
 * Sums by task and call chain, as programs add to them. There are two generations: while one is
 * read, the other one is added to. All maps have their memory from the beginning, as is needed
 * where programs run at overflows.
 */
#ifndef BPF_STACK_ADD_BPF_H
#define BPF_STACK_ADD_BPF_H

#include "kernel.bpf.h"
#include <linux/bpf_perf_event.h>
#include <stdbool.h>

#include "stack-sums.h"
#include "stack-walk.bpf.h"

struct perf_sample_data {
	__u64 period;
	__u64 cgroup;
} IN_KERNEL;

struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
} IN_KERNEL;

struct sums {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_SUMS_MAX);
	__type(key, struct stack_key);
	__type(value, struct stack_sum);
} sums0 SEC(".maps"), sums1 SEC(".maps");

struct chains {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_CHAINS_MAX);
	__type(key, __u64);
	__type(value, struct stack_chain);
} chains0 SEC(".maps"), chains1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct sums);
} sums SEC(".maps") = { .values = { &sums0, &sums1 } };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct chains);
} chains SEC(".maps") = { .values = { &chains0, &chains1 } };

/* Which generation is added to. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} generation SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_tally);
} tallies SEC(".maps");

/* Call chains in user space that were made by rules. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_ends);
} ends SEC(".maps");

const volatile struct stack_constants constants = {};

/* Of a chain's frames; 0 is none. */
static __always_inline __u64 hash_of(const struct stack_chain *chain)
{
	__u64 hash = chain->nr;

	for (__u32 i = 0; i < STACK_FRAMES_MAX && i < chain->nr; i++) {
		hash = (hash ^ chain->ips[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash ?: 1;
}

/* Keeps a part of the call chain under its hash. Returns false: there was no room. */
static __always_inline bool keep_chain(void *map, __u64 hash, const struct stack_chain *chain,
				       struct stack_tally *tally)
{
	if (bpf_map_lookup_elem(map, &hash))
		return true;
	/* Another CPU may add the same one. */
	if (!bpf_map_update_elem(map, &hash, chain, BPF_NOEXIST)) {
		tally->new_chains++;
		return true;
	}
	return bpf_map_lookup_elem(map, &hash);
}

/* As the kernel makes it. Returns false: there is none. */
static __always_inline bool get_chain(void *ctx, __u64 flags, struct stack_chain *chain)
{
	long bytes = bpf_get_stack(ctx, chain->ips, sizeof(chain->ips), flags);

	if (bytes < (long)sizeof(chain->ips[0]))
		return false;
	chain->nr = (__u32)bytes / sizeof(chain->ips[0]);
	return true;
}

static __always_inline void count_end(struct stack_end end)
{
	__u32 zero = 0, number = end.file;
	__u64 why = one_copy(end.why);

	if (why >= RULE_NR_ENDS)
		return;
	struct stack_ends *counts = bpf_map_lookup_elem(&ends, &zero);
	struct rule_file *file = bpf_map_lookup_elem(&files, &number);
	if (counts)
		counts->nr[why]++;
	if (file && why < RULE_ENDS_OF_FILES)
		__sync_fetch_and_add(&file->ended[why], 1);
}

/* @from: where it begins, and then where it has ended */
static __always_inline __u32 walk_frames(struct walk *from, struct stack_chain *chain)
{
	struct walk *w = walk_here();
	__u32 end = STEP_ON;

	if (!w)
		return RULE_END_STACK;
	*w = *from;
	for (__u32 i = 0; i < STACK_FRAMES_MAX && end == STEP_ON; i++) {
		chain->ips[i] = w->pc;
		chain->nr = i + 1;
		end = step_once();
	}
	from->file = w->file;
	return end == STEP_ON ? RULE_END_LIMIT : end;
}

/* By rules. @event: NULL: the program @ctx is of is not an event's. Returns false: the task runs
 * nothing in user space. */
static __always_inline bool walk_chain(void *ctx, struct bpf_perf_event_data *event,
				       struct stack_chain *chain, struct stack_end *ret_end)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct walk w = {};
	bool is_64_bit = true;

	if (!user_registers(event, &w, &is_64_bit))
		return false;
	ret_end->why = RULE_END_32_BIT;
	if (!is_64_bit)
		return get_chain(ctx, BPF_F_USER_STACK, chain);
	chain->ips[0] = w.pc;
	chain->nr = 1;
	ret_end->why = begin_walk(&w, pid) ? walk_frames(&w, chain) : RULE_END_NEW;
	ret_end->file = w.file;
	return true;
}

/* @event: as for walk_chain(). @ret_end: left alone if no rules were used. Returns the chain's
 * hash; 0: there is none. */
static __always_inline __u64 make_chain(void *ctx, struct bpf_perf_event_data *event, __u64 flags,
					struct stack_chain *chain, struct stack_end *ret_end)
{
	bool is_there = flags & BPF_F_USER_STACK && constants.with_rules
				? walk_chain(ctx, event, chain, ret_end)
				: get_chain(ctx, flags, chain);

	return is_there ? hash_of(chain) : 0;
}

/* Of the task that runs; without chains. */
static __always_inline void name_task(struct stack_key *key, void *ctx)
{
	__u64 task = bpf_get_current_pid_tgid();

	key->pid = task >> 32;
	key->tid = (__u32)task;
	bpf_get_current_comm(key->comm, sizeof(key->comm));
	if (constants.with_cgroups)
		key->cgroup = BPF_CORE_READ((struct bpf_perf_event_data_kern *)ctx, data, cgroup);
}

/* @wake: NULL: nobody is known to have ended the wait, or there is none */
static __always_inline bool add_to(struct stack_sum *sum, __u64 period,
				   const struct stack_wake *wake)
{
	if (!sum)
		return false;
	__sync_fetch_and_add(&sum->samples, 1);
	__sync_fetch_and_add(&sum->period, period);
	sum->last_ns = bpf_ktime_get_ns();
	sum->cpu = bpf_get_smp_processor_id();
	sum->waker_ns = wake ? wake->at_ns : 0;
	sum->waker_cpu = wake ? wake->cpu : 0;
	return true;
}

static __always_inline bool add_sum(void *map, const struct stack_key *key, __u64 period,
				    const struct stack_wake *wake, struct stack_tally *tally)
{
	if (add_to(bpf_map_lookup_elem(map, key), period, wake))
		return true;
	struct stack_sum first = {};

	if (!bpf_map_update_elem(map, key, &first, BPF_NOEXIST))
		tally->new_sums++;
	return add_to(bpf_map_lookup_elem(map, key), period, wake);
}

#endif
