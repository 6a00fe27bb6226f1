/* SPDX-License-Identifier: MIT */
/*
 * Waits of tasks, summed by task and call chain. An event of context switches, which happens in the
 * task that leaves its CPU, if that is wanted, begins a wait, with the call chain; the switch to
 * the task ends it. The wait keeps the chain itself, since its sum is maybe one of a later
 * generation.
 *
 * A task is known by its address from its first wait on until the kernel frees it. Where it is
 * switched to, it is no longer where it left, so that nobody else changes its wait.
 *
 * Source: __schedule() of kernel/sched/core.c, perf_event_switch() of kernel/events/core.c.
 */
#include "stack-add.bpf.h"

struct sched_entity {
	unsigned char sched_delayed;
} IN_KERNEL;

struct task_struct {
	int on_rq, exit_state;
	struct sched_entity se;
} IN_KERNEL;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_WAITS_MAX);
	__type(key, __u64);
	__type(value, struct stack_wait);
} waits SEC(".maps"); /* by address of the task */

/* Always zero, and too large for a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_wait);
} nothing SEC(".maps");

/* --- a wait begins --- */

/* Who is preempted does not wait, and who has ended does not come back. Since Linux 6.12 a task
 * that waits can be left in its queue for a while. */
static __always_inline bool is_waiting(struct task_struct *task)
{
	if (BPF_CORE_READ(task, exit_state))
		return false;
	if (!BPF_CORE_READ(task, on_rq))
		return true;
	return bpf_core_field_exists(task->se.sched_delayed) &&
	       BPF_CORE_READ(task, se.sched_delayed);
}

/* NULL: there is no room for the task. */
static __always_inline struct stack_wait *wait_of(__u64 task)
{
	struct stack_wait *wait = bpf_map_lookup_elem(&waits, &task), *first;
	__u32 zero = 0;

	if (wait)
		return wait;
	first = bpf_map_lookup_elem(&nothing, &zero);
	if (!first || bpf_map_update_elem(&waits, &task, first, BPF_NOEXIST))
		return NULL;
	return bpf_map_lookup_elem(&waits, &task);
}

SEC("perf_event")
int leave(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 now_ns = bpf_ktime_get_ns();
	__u32 zero = 0;
	struct stack_tally *tally = bpf_map_lookup_elem(&tallies, &zero);
	struct stack_wait *wait;

	if (!tally)
		return 0;
	tally->switches++;
	/* Nobody waits while a CPU is idle. */
	if (!(__u32)bpf_get_current_pid_tgid() || !is_waiting(task))
		return 0;
	wait = wait_of((__u64)task);
	if (!wait) {
		tally->not_followed++;
		return 0;
	}
	wait->end.why = RULE_NR_ENDS;
	wait->cpu = bpf_get_smp_processor_id();
	name_task(&wait->key, ctx);
	wait->key.kernel = make_chain(ctx, 0, &wait->kernel, &wait->end);
	wait->key.user = make_chain(ctx, BPF_F_USER_STACK, &wait->user, &wait->end);
	wait->off_ns = now_ns;
	return 0;
}

/* --- it ends --- */

static __always_inline bool add_wait(struct stack_wait *wait, __u32 generation, __u64 waited_ns,
				     struct stack_tally *tally)
{
	__u32 number = generation & GENERATION_NUMBER;
	void *to = bpf_map_lookup_elem(&sums, &number);
	void *kept = bpf_map_lookup_elem(&chains, &number);
	const struct stack_key *key = &wait->key;

	if (!to || !kept)
		return false;
	return (!key->kernel || keep_chain(kept, key->kernel, &wait->kernel, tally)) &&
	       (!key->user || keep_chain(kept, key->user, &wait->user, tally)) &&
	       add_sum(to, key, waited_ns, tally);
}

SEC("raw_tp/sched_switch")
int come_back(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = ctx->args[2], waited_ns;
	struct stack_wait *wait = bpf_map_lookup_elem(&waits, &task);
	__u32 zero = 0;
	__u32 *now = bpf_map_lookup_elem(&generation, &zero);
	struct stack_tally *tally = bpf_map_lookup_elem(&tallies, &zero);

	if (!wait || !wait->off_ns || !now || !tally || *now & GENERATION_STOPPED)
		return 0;
	waited_ns = bpf_ktime_get_ns() - wait->off_ns;
	wait->off_ns = 0;
	if (waited_ns < constants.min_ns)
		return 0;
	if (add_wait(wait, *now, waited_ns, tally)) {
		tally->samples++;
		tally->period += waited_ns;
		count_end(wait->end);
	} else {
		tally->missed++;
		tally->missed_period += waited_ns;
	}
	return 0;
}

/* --- a task is no more --- */

SEC("raw_tp/sched_process_free")
int forget(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = ctx->args[0];

	bpf_map_delete_elem(&waits, &task);
	return 0;
}
