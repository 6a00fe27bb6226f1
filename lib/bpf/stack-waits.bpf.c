/* SPDX-License-Identifier: MIT */
/*
 * Waits of tasks, summed by task and call chain. An event of context switches, which happens in the
 * task that leaves its CPU, if that is wanted, begins a wait, with the call chain; the switch to
 * the task ends it. The wait keeps the chain itself, since its sum is maybe one of a later
 * generation.
 *
 * A task is known by its address from its first wait on until the kernel frees it. Where it is
 * switched to, it is no longer where it left, so that nobody else changes its wait. Who wakes it
 * does so before, and no two do at a time.
 *
 * Source: __schedule() and try_to_wake_up() of kernel/sched/core.c, perf_event_switch() of
 * kernel/events/core.c; bpf_trace_run1() of kernel/trace/bpf_trace.c; arch/x86/entry/entry_64.S.
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_WAITS_MAX);
	__type(key, __u64);
	__type(value, struct stack_wake);
} wakes SEC(".maps"); /* likewise */

/* Always zero, and too large for a stack. */
union nothing {
	struct stack_wait wait;
	struct stack_wake wake;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, union nothing);
} nothing SEC(".maps");

/* The element of a task. NULL: there is no room for it. */
static __always_inline void *element_of(void *map, __u64 task)
{
	void *element = bpf_map_lookup_elem(map, &task), *first;
	__u32 zero = 0;

	if (element)
		return element;
	first = bpf_map_lookup_elem(&nothing, &zero);
	if (!first || bpf_map_update_elem(map, &task, first, BPF_NOEXIST))
		return NULL;
	return bpf_map_lookup_elem(map, &task);
}

/* --- a wait begins --- */

/* Who is preempted does not wait, and who has ended does not come back. Since Linux 6.12 a task
 * that waits can be left in its queue for a while. */
static __always_inline bool is_waiting(struct task_struct *task)
{
	if (BPF_CORE_READ(task, exit_state))
		return false;
	/* An int; on Linux 7.2, a byte. */
	if (!BPF_CORE_READ_BITFIELD_PROBED(task, on_rq))
		return true;
	return bpf_core_field_exists(task->se.sched_delayed) &&
	       BPF_CORE_READ(task, se.sched_delayed);
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
	wait = element_of(&waits, (__u64)task);
	if (!wait) {
		tally->not_followed++;
		return 0;
	}
	wait->end.why = RULE_NR_ENDS;
	wait->cpu = bpf_get_smp_processor_id();
	name_task(&wait->key, ctx);
	wait->key.waker = (struct stack_waker){};
	wait->key.kernel = make_chain(ctx, ctx, 0, &wait->kernel, &wait->end);
	wait->key.user = make_chain(ctx, ctx, BPF_F_USER_STACK, &wait->user, &wait->end);
	wait->off_ns = now_ns;
	return 0;
}

/* --- somebody wakes the task --- */

struct pt_regs___entry {
	unsigned long orig_ax;
} IN_KERNEL;

/*
 * Whether an interrupt wakes it, not the task that runs. What @ctx has is on the stack that is
 * used: interrupts of the kernel have one of their own, those of programs, as faults, begin at the
 * end of the task's, and on x86 they are no system call there.
 */
static __always_inline bool in_interrupt(void *ctx)
{
	struct task_struct___walk *task = (void *)bpf_get_current_task();
	struct pt_regs___entry *regs = (void *)first_registers(task);
	__u64 at = (__u64)ctx;

	if (at < (__u64)BPF_CORE_READ(task, stack) || at >= (__u64)regs)
		return true;
	return BPF_CORE_READ(task, mm) && bpf_core_field_exists(regs->orig_ax) &&
	       BPF_CORE_READ(regs, orig_ax) == -1UL;
}

/* The last one ends the wait: others found the task about to wait. */
SEC("raw_tp/sched_waking")
int wake(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = ctx->args[0], by = bpf_get_current_pid_tgid();
	struct stack_wait *wait = bpf_map_lookup_elem(&waits, &task);
	struct stack_wake *wake = wait && wait->off_ns ? element_of(&wakes, task) : NULL;
	/* Nothing but interrupts makes an idle CPU wake somebody. */
	bool is_interrupt = !(__u32)by || in_interrupt(ctx);

	if (!wake)
		return 0;
	wake->end.why = RULE_NR_ENDS;
	wake->cpu = bpf_get_smp_processor_id();
	wake->at_ns = bpf_ktime_get_ns();
	wake->waker = (struct stack_waker){ .is_known = 1, .is_interrupt = is_interrupt };
	wake->waker.kernel = make_chain(ctx, NULL, 0, &wake->kernel, &wake->end);
	if (!is_interrupt) {
		wake->waker.pid = by >> 32;
		wake->waker.tid = (__u32)by;
		bpf_get_current_comm(wake->waker.comm, sizeof(wake->waker.comm));
		wake->waker.user = make_chain(ctx, NULL, BPF_F_USER_STACK, &wake->user, &wake->end);
	}
	wake->off_ns = wait->off_ns;
	return 0;
}

/* NULL: nobody is known to have ended the wait. */
static __always_inline struct stack_wake *wake_of(__u64 task, const struct stack_wait *wait)
{
	struct stack_wake *wake = constants.with_wakers ? bpf_map_lookup_elem(&wakes, &task) : NULL;

	return wake && wake->off_ns == wait->off_ns ? wake : NULL;
}

/* --- it ends --- */

static __always_inline bool keep_chains(void *map, __u64 kernel,
					const struct stack_chain *in_kernel, __u64 user,
					const struct stack_chain *in_user,
					struct stack_tally *tally)
{
	return (!kernel || keep_chain(map, kernel, in_kernel, tally)) &&
	       (!user || keep_chain(map, user, in_user, tally));
}

static __always_inline bool add_wait(struct stack_wait *wait, const struct stack_wake *wake,
				     __u32 generation, __u64 waited_ns, struct stack_tally *tally)
{
	__u32 number = generation & GENERATION_NUMBER;
	void *to = bpf_map_lookup_elem(&sums, &number);
	void *kept = bpf_map_lookup_elem(&chains, &number);
	const struct stack_key *key = &wait->key;

	if (!to || !kept)
		return false;
	if (wake && !keep_chains(kept, wake->waker.kernel, &wake->kernel, wake->waker.user,
				 &wake->user, tally))
		return false;
	if (wake)
		wait->key.waker = wake->waker;
	return keep_chains(kept, key->kernel, &wait->kernel, key->user, &wait->user, tally) &&
	       add_sum(to, key, waited_ns, wake, tally);
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
	struct stack_wake *wake = wake_of(task, wait);
	waited_ns = bpf_ktime_get_ns() - wait->off_ns;
	wait->off_ns = 0;
	if (waited_ns < constants.min_ns)
		return 0;
	if (add_wait(wait, wake, *now, waited_ns, tally)) {
		tally->samples++;
		tally->period += waited_ns;
		count_end(wait->end);
		if (wake)
			count_end(wake->end);
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
	bpf_map_delete_elem(&wakes, &task);
	return 0;
}
