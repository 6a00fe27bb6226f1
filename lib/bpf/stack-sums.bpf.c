/* SPDX-License-Identifier: MIT */
/*
 * Samples of an event, summed by task and call chain. The program runs at each overflow and lets
 * the kernel write nothing.
 */
#include "stack-add.bpf.h"

/* Too large for a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_chain);
} scratch SEC(".maps");

static __always_inline __u64 add_chain(struct bpf_perf_event_data *ctx, void *map, __u64 flags,
				       struct stack_tally *tally, bool *full)
{
	__u32 zero = 0;
	struct stack_chain *chain = bpf_map_lookup_elem(&scratch, &zero);
	struct stack_end end = { .why = RULE_NR_ENDS };

	if (!chain)
		return 0;
	__u64 hash = make_chain(ctx, ctx, flags, chain, &end);
	count_end(end);
	if (hash && !keep_chain(map, hash, chain, tally))
		*full = true;
	return hash;
}

static __always_inline bool add_sample(struct bpf_perf_event_data *ctx, __u32 now, __u64 period,
				       struct stack_tally *tally)
{
	void *to = bpf_map_lookup_elem(&sums, &now);
	void *kept = bpf_map_lookup_elem(&chains, &now);
	struct stack_key key = {};
	bool full = false;

	if (!to || !kept)
		return false;
	name_task(&key, ctx);
	key.kernel = add_chain(ctx, kept, 0, tally, &full);
	key.user = add_chain(ctx, kept, BPF_F_USER_STACK, tally, &full);
	return !full && add_sum(to, &key, period, NULL, tally);
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
