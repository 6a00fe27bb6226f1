// SPDX-License-Identifier: MIT
/*
 * Calls of functions, by probes at their first instruction and at those that return. A call that
 * returns is known by where its return address is on the stack, which no other living call of the
 * process has. Calls that end otherwise, by an exception or longjmp(3), have no end; the next call
 * from there takes their place. Calls of the kernel's functions (fentry, fexit) are known by where
 * the kernel has put their arguments, which is on the stack, too.
 *
 * Several of these programs can be interrupted by others of them on the same CPU, so that all sums
 * are added to atomically. Source: kernel/trace/trace_uprobe.c, kernel/trace/bpf_trace.c, and
 * kernel/bpf/trampoline.c.
 */
#include "function-calls.h"
#include "switches.bpf.h"

#define RAISES_MAX 64

struct pt_regs___sp {
	unsigned long sp;
} IN_KERNEL;

struct signal_struct {
	struct {
		int counter;
	} live;
} IN_KERNEL;

struct task_struct {
	int tgid;
	__u64 start_time;
	struct task_struct *group_leader;
	struct signal_struct *signal;
} IN_KERNEL;

/* @started: of the process, whose number others may have had. @sp: where the return address is, or
 * the arguments are */
struct frame_key {
	__u64 started, sp;
	__u32 tgid, function;
};

struct frame {
	__u64 start_ns;
	__u64 switches; /* of the task, until then */
	struct bpf_perf_event_value values[FUNCTION_EVENTS_MAX];
};

const volatile struct function_setup setup = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct function_sum);
} sums SEC(".maps"); /* by number of the function */

/* Calls that go on. Those that never return are what is lost first where there is no more room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, struct frame_key);
	__type(value, struct frame);
} frames SEC(".maps");

/*
 * Programs that run on this CPU. What the kernel does for them, it may do with locks held, and by
 * functions that are counted: these calls, and those of interrupts that come then, are left out.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} users SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, int);
} events SEC(".maps"); /* by event, then CPU */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u32);
	__type(value, __u32);
} processes SEC(".maps"); /* that are counted, or 0 for all; value 0: from their exec on */

/* Processes that were started and for which there was no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} missed SEC(".maps");

/* --- processes --- */

static __always_inline bool is_counted(__u32 tgid)
{
	__u32 key = setup.all_tasks ? 0 : tgid;
	__u32 *counts = bpf_map_lookup_elem(&processes, &key);

	return counts && *counts;
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	__u32 zero = 0, yes = 1;

	if (from == to || !is_counted(from) || !bpf_map_update_elem(&processes, &to, &yes, BPF_ANY))
		return 0;
	__u64 *nr = bpf_map_lookup_elem(&missed, &zero);
	if (nr)
		__sync_fetch_and_add(nr, 1);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(executed, struct task_struct *task)
{
	__u32 tgid = BPF_CORE_READ(task, tgid), yes = 1;

	if (bpf_map_lookup_elem(&processes, &tgid))
		bpf_map_update_elem(&processes, &tgid, &yes, BPF_ANY);
	return 0;
}

/* With the last thread of a process. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(ended, struct task_struct *task)
{
	__u32 tgid = BPF_CORE_READ(task, tgid);

	if (!BPF_CORE_READ(task, signal, live.counter))
		bpf_map_delete_elem(&processes, &tgid);
	return 0;
}

/* --- events: of the CPU, and of the call alone where no switch of tasks came between --- */

/* One that cannot be read has never run. */
static __always_inline void read_event(__u32 event, struct bpf_perf_event_value *value)
{
	__u64 key = event * setup.nr_cpus + bpf_get_smp_processor_id();

	if (bpf_perf_event_read_value(&events, key, value, sizeof(*value)))
		__builtin_memset(value, 0, sizeof(*value));
}

/* What events have counted since @before, by event; they are certain where a bit is set. */
struct counted {
	__u64 values[FUNCTION_EVENTS_MAX];
	__u32 certain;
};

/* The events are read first, then whether a switch came before. */
static __always_inline void count_events(const struct frame *before, struct counted *counted)
{
	for (__u32 i = 0; i < FUNCTION_EVENTS_MAX && i < setup.nr_events; i++) {
		const struct bpf_perf_event_value *then = &before->values[i];
		struct bpf_perf_event_value now;

		read_event(i, &now);
		counted->values[i] = now.counter - then->counter;
		if (now.running && now.enabled - then->enabled == now.running - then->running)
			counted->certain |= 1u << i;
	}
	if (nr_switches() != before->switches)
		counted->certain = 0;
}

/* --- calls --- */

static __always_inline __u64 *users_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&users, &zero);
}

static __always_inline struct frame_key key_of(__u64 sp, __u32 tgid, __u32 function)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return (struct frame_key){
		.started = BPF_CORE_READ(task, group_leader, start_time),
		.sp = sp,
		.tgid = tgid,
		.function = function,
	};
}

static __always_inline void begin(const struct frame_key *key)
{
	struct frame frame = { .switches = nr_switches() };

	for (__u32 i = 0; i < FUNCTION_EVENTS_MAX && i < setup.nr_events; i++)
		read_event(i, &frame.values[i]);
	frame.start_ns = bpf_ktime_get_ns();
	/* What may be there is of a call that did not return. */
	if (bpf_map_update_elem(&frames, key, &frame, BPF_ANY))
		bpf_map_delete_elem(&frames, key);
}

static __always_inline void count_call(__u64 sp, __u64 cookie, bool is_left_out)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, function = (__u32)cookie;
	struct function_sum *sum = is_counted(tgid) ? bpf_map_lookup_elem(&sums, &function) : NULL;

	if (!sum)
		return;
	__sync_fetch_and_add(is_left_out ? &sum->left_out : &sum->calls, 1);
	if (is_left_out || !(cookie & FUNCTION_HAS_ENDS))
		return;
	struct frame_key key = key_of(sp, tgid, function);

	begin(&key);
}

static __always_inline void raise(struct function_sum *sum, __u64 ns)
{
	__u64 max = *(volatile __u64 *)&sum->max_ns;

	for (int i = 0; i < RAISES_MAX; i++) {
		if (max >= ns)
			return;
		__u64 seen = __sync_val_compare_and_swap(&sum->max_ns, max, ns);
		if (seen == max)
			return;
		max = seen;
	}
	__sync_fetch_and_add(&sum->max_lost, 1);
}

static __always_inline void add_time(struct function_sum *sum, __u64 ns)
{
	__u64 bucket = one_copy(latency_bucket(ns));

	__sync_fetch_and_add(&sum->timed, 1);
	__sync_fetch_and_add(&sum->total_ns, ns);
	if (bucket < LATENCY_BUCKETS)
		__sync_fetch_and_add(&sum->buckets[bucket], 1);
	raise(sum, ns);
}

static __always_inline void add_counted(struct function_sum *sum, const struct counted *counted)
{
	for (__u32 i = 0; i < FUNCTION_EVENTS_MAX && i < setup.nr_events; i++)
		if (counted->certain >> i & 1) {
			__sync_fetch_and_add(&sum->events[i].value, counted->values[i]);
			__sync_fetch_and_add(&sum->events[i].calls, 1);
		}
}

/* Where there was no room, the kernel may have given the place to another call meanwhile; then the
 * frame is not @key's any more, and false. */
static __always_inline bool end_frame(const struct frame_key *key, __u64 *start_ns,
				      struct counted *counted)
{
	struct frame *frame = bpf_map_lookup_elem(&frames, key);

	if (!frame)
		return false;
	*start_ns = frame->start_ns;
	count_events(frame, counted);
	return !bpf_map_delete_elem(&frames, key);
}

static __always_inline void end_call(__u64 sp, __u64 cookie, __u64 now_ns)
{
	__u64 start_ns = 0;
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, function = (__u32)cookie;
	struct frame_key key = key_of(sp, tgid, function);
	struct counted counted = { 0 };
	struct function_sum *sum;

	if (!is_counted(tgid) || !end_frame(&key, &start_ns, &counted))
		return;
	sum = bpf_map_lookup_elem(&sums, &function);
	if (!sum)
		return;
	/* The clock that can be read anywhere goes back a little at times. Source:
	 * kernel/time/timekeeping.c, ktime_get_mono_fast_ns(). */
	add_time(sum, now_ns > start_ns ? now_ns - start_ns : 0);
	add_counted(sum, &counted);
}

/* --- programs --- */

static __always_inline int on_entry(__u64 sp, __u64 cookie, bool in_kernel)
{
	__u64 *users = users_here();

	if (!users)
		return 0;
	bool is_busy = __sync_fetch_and_add(users, 1);
	count_call(sp, cookie, in_kernel && is_busy);
	__sync_fetch_and_add(users, -1);
	return 0;
}

static __always_inline int on_return(__u64 sp, __u64 cookie, bool in_kernel)
{
	__u64 now_ns = bpf_ktime_get_ns(), *users = users_here();

	if (!users)
		return 0;
	bool is_busy = __sync_fetch_and_add(users, 1);
	if (!in_kernel || !is_busy)
		end_call(sp, cookie, now_ns);
	__sync_fetch_and_add(users, -1);
	return 0;
}

/* --- functions of programs --- */

static __always_inline __u64 sp_of(void *ctx)
{
	return BPF_CORE_READ((struct pt_regs___sp *)ctx, sp);
}

SEC("uprobe")
int entered(void *ctx)
{
	return on_entry(sp_of(ctx), bpf_get_attach_cookie(ctx), false);
}

SEC("uprobe")
int returns(void *ctx)
{
	return on_return(sp_of(ctx), bpf_get_attach_cookie(ctx), false);
}

/*
 * Since Linux 6.13, a program has one stack on each CPU, whichever task it runs for, and where
 * probes can be preempted, another task's call would write over it. These keep the CPU.
 * Source: kernel/bpf/verifier.c, bpf_enable_priv_stack(); kernel/trace/trace_uprobe.c.
 */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

SEC("uprobe")
int entered_alone(void *ctx)
{
	bpf_preempt_disable();
	on_entry(sp_of(ctx), bpf_get_attach_cookie(ctx), false);
	bpf_preempt_enable();
	return 0;
}

SEC("uprobe")
int returns_alone(void *ctx)
{
	bpf_preempt_disable();
	on_return(sp_of(ctx), bpf_get_attach_cookie(ctx), false);
	bpf_preempt_enable();
	return 0;
}

/* --- functions of the kernel; copies of these are attached to each --- */

SEC("fentry")
int kernel_entered(void *ctx)
{
	return on_entry((__u64)ctx, bpf_get_attach_cookie(ctx), true);
}

SEC("fexit")
int kernel_returns(void *ctx)
{
	return on_return((__u64)ctx, bpf_get_attach_cookie(ctx), true);
}
