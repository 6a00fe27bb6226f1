/* SPDX-License-Identifier: MIT */
/*
 * Samples of an event, summed by task and call chain. The program runs at each overflow and lets
 * the kernel write nothing. There are two generations of sums: while one is read, the other one is
 * added to. All maps have their memory from the beginning, as is needed where the program runs.
 */
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

/* Too large for a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_chain);
} scratch SEC(".maps");

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

/* Keeps a part of the call chain. Returns its key. @full: there was no room. */
static __always_inline __u64 keep_chain(void *map, const struct stack_chain *chain,
					struct stack_tally *tally, bool *full)
{
	__u64 hash = hash_of(chain);

	if (bpf_map_lookup_elem(map, &hash))
		return hash;
	/* Another CPU may add the same one. */
	if (!bpf_map_update_elem(map, &hash, chain, BPF_NOEXIST))
		tally->new_chains++;
	else if (!bpf_map_lookup_elem(map, &hash))
		*full = true;
	return hash;
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

static __always_inline void count_end(const struct walk *w, __u32 end)
{
	__u32 zero = 0, number = w->file;
	struct stack_ends *counts = bpf_map_lookup_elem(&ends, &zero);
	struct rule_file *file = bpf_map_lookup_elem(&files, &number);

	if (counts && end < RULE_NR_ENDS)
		counts->nr[end]++;
	if (file && end < RULE_ENDS_OF_FILES)
		__sync_fetch_and_add(&file->ended[end], 1);
}

static __always_inline __u32 walk_frames(struct walk *w, struct stack_chain *chain)
{
	for (__u32 i = 0; i < STACK_FRAMES_MAX; i++) {
		chain->ips[i] = w->pc;
		chain->nr = i + 1;
		__u32 end = step(w);
		if (end != STEP_ON)
			return end;
	}
	return RULE_END_LIMIT;
}

/* By rules. Returns false: the task runs nothing in user space. */
static __always_inline bool walk_chain(struct bpf_perf_event_data *ctx, struct stack_chain *chain)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32, end = RULE_END_NEW;
	struct walk w = {};
	bool is_64_bit = true;

	if (!user_registers(ctx, &w, &is_64_bit))
		return false;
	if (!is_64_bit) {
		count_end(&w, RULE_END_32_BIT);
		return get_chain(ctx, BPF_F_USER_STACK, chain);
	}
	chain->ips[0] = w.pc;
	chain->nr = 1;
	if (begin_walk(&w, pid))
		end = walk_frames(&w, chain);
	count_end(&w, end);
	return true;
}

static __always_inline __u64 add_chain(void *ctx, void *map, __u64 flags, struct stack_tally *tally,
				       bool *full)
{
	__u32 zero = 0;
	struct stack_chain *chain = bpf_map_lookup_elem(&scratch, &zero);

	if (!chain)
		return 0;
	bool is_there = flags & BPF_F_USER_STACK && constants.with_rules
				? walk_chain(ctx, chain)
				: get_chain(ctx, flags, chain);
	return is_there ? keep_chain(map, chain, tally, full) : 0;
}

static __always_inline bool add_to(struct stack_sum *sum, __u64 period)
{
	if (!sum)
		return false;
	__sync_fetch_and_add(&sum->samples, 1);
	__sync_fetch_and_add(&sum->period, period);
	sum->last_ns = bpf_ktime_get_ns();
	sum->cpu = bpf_get_smp_processor_id();
	return true;
}

static __always_inline bool add_sum(void *map, const struct stack_key *key, __u64 period,
				    struct stack_tally *tally)
{
	if (add_to(bpf_map_lookup_elem(map, key), period))
		return true;
	struct stack_sum first = {};

	if (!bpf_map_update_elem(map, key, &first, BPF_NOEXIST))
		tally->new_sums++;
	return add_to(bpf_map_lookup_elem(map, key), period);
}

static __always_inline bool add_sample(void *ctx, __u32 now, __u64 period,
				       struct stack_tally *tally)
{
	void *to = bpf_map_lookup_elem(&sums, &now);
	void *kept = bpf_map_lookup_elem(&chains, &now);
	struct stack_key key = {};
	__u64 task = bpf_get_current_pid_tgid();
	bool full = false;

	if (!to || !kept)
		return false;
	key.pid = task >> 32;
	key.tid = (__u32)task;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	key.kernel = add_chain(ctx, kept, 0, tally, &full);
	key.user = add_chain(ctx, kept, BPF_F_USER_STACK, tally, &full);
	if (constants.with_cgroups)
		key.cgroup = BPF_CORE_READ((struct bpf_perf_event_data_kern *)ctx, data, cgroup);
	return !full && add_sum(to, &key, period, tally);
}

SEC("perf_event")
int sum(struct bpf_perf_event_data *ctx)
{
	/* Not as ctx->sample_period: where that is depends on the machine's registers. */
	__u64 period = BPF_CORE_READ((struct bpf_perf_event_data_kern *)ctx, data, period);
	__u32 zero = 0;
	__u32 *now = bpf_map_lookup_elem(&generation, &zero);
	struct stack_tally *tally = bpf_map_lookup_elem(&tallies, &zero);

	if (!now || !tally)
		return 0;
	if (add_sample(ctx, *now & 1, period, tally)) {
		tally->samples++;
		tally->period += period;
	} else {
		tally->missed++;
		tally->missed_period += period;
	}
	return 0;
}
