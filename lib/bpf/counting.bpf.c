// SPDX-License-Identifier: MIT
/*
 * One set of events per CPU, read where what runs changes. The difference to the reading before is
 * added to the slot of what ran: a cgroup's, a task's, a BPF program's.
 */
#include "counting.h"
#include "switches.bpf.h"
#include "tasks.bpf.h"

#define NO_SLOT    0xffffffff
#define LEVELS_MAX 64 /* of cgroups */

const volatile struct counting_setup setup = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, int);
} events SEC(".maps"); /* by event, then CPU */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} on SEC(".maps"); /* this CPU counts */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct bpf_perf_event_value);
} readings SEC(".maps"); /* by event: the last one */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct bpf_perf_event_value);
} sums SEC(".maps"); /* by slot, then event */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u64);
	__type(value, __u32);
} cgroups SEC(".maps"); /* slots by id */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u64);
	__type(value, __u32);
} tasks SEC(".maps"); /* slots by address */

/* Tasks that have been named and not been seen. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u32);
	__type(value, __u32);
} wanted SEC(".maps"); /* slots by thread id */

/* Tasks that were started and for which there was no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} missed SEC(".maps");

static __always_inline __u32 *on_here(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&on, &key);
}

/* An event that was opened again begins with 0. */
static __always_inline void add(struct bpf_perf_event_value *sum,
				const struct bpf_perf_event_value *now,
				const struct bpf_perf_event_value *before)
{
	bool anew = now->enabled < before->enabled;

	sum->counter += now->counter - (anew ? 0 : before->counter);
	sum->enabled += now->enabled - (anew ? 0 : before->enabled);
	sum->running += now->running - (anew ? 0 : before->running);
}

/* Adds what was counted since the last reading to a slot. */
static __noinline void read_into(__u32 slot)
{
	__u32 cpu = bpf_get_smp_processor_id();

	for (__u32 i = 0; i < COUNTING_EVENTS_MAX && i < setup.nr_events; i++) {
		struct bpf_perf_event_value now = { 0 };
		__u32 event = i; /* has an address, by which the verifier loses count */
		struct bpf_perf_event_value *before = bpf_map_lookup_elem(&readings, &event);
		__u32 key = slot * setup.nr_events + i;
		struct bpf_perf_event_value *sum =
			slot == NO_SLOT ? NULL : bpf_map_lookup_elem(&sums, &key);

		if (!before ||
		    bpf_perf_event_read_value(&events, i * setup.nr_cpus + cpu, &now, sizeof(now)))
			continue;
		if (sum)
			add(sum, &now, before);
		*before = now;
	}
}

/* --- cgroups --- */

static __noinline __u32 slot_of_cgroup(struct cgroup *cgroup)
{
	for (int i = 0; i < LEVELS_MAX && cgroup; i++) {
		__u64 id = cgroup_id(cgroup);
		__u32 *slot = bpf_map_lookup_elem(&cgroups, &id);

		if (slot)
			return *slot;
		cgroup = cgroup_parent(cgroup);
	}
	return NO_SLOT;
}

/* --- tasks --- */

static __always_inline void follow(struct task_struct *task, __u32 slot)
{
	__u64 key = (__u64)task;
	__u32 zero = 0;

	if (bpf_map_update_elem(&tasks, &key, &slot, BPF_ANY)) {
		__u64 *nr = bpf_map_lookup_elem(&missed, &zero);

		if (nr)
			__sync_fetch_and_add(nr, 1);
	}
}

/* A task that has been named is known by its thread id at first. */
static __always_inline __u32 find_wanted(struct task_struct *task)
{
	__u32 tid = BPF_CORE_READ(task, pid);
	__u32 *found = bpf_map_lookup_elem(&wanted, &tid);

	if (!found)
		return NO_SLOT;
	__u32 slot = *found;
	follow(task, slot);
	bpf_map_delete_elem(&wanted, &tid);
	return slot;
}

static __always_inline __u32 slot_of_task(struct task_struct *task)
{
	__u64 key = (__u64)task;
	__u32 *slot = bpf_map_lookup_elem(&tasks, &key);

	if (slot)
		return *slot;
	return setup.at_exec ? NO_SLOT : find_wanted(task);
}

/* --- where what runs changes --- */

static __always_inline __u32 slot_of(struct task_struct *task)
{
	if (setup.kind == COUNTING_CGROUPS)
		return slot_of_cgroup(cgroup_of(task, setup.by_controller));
	return setup.kind == COUNTING_TASKS ? slot_of_task(task) : 0;
}

static __always_inline struct task_struct *current(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

static __always_inline void read_current(void)
{
	__u32 *on = on_here();

	if (on && *on && setup.kind != COUNTING_RUNS)
		read_into(slot_of(current()));
}

/*
 * At each switch of tasks: what is current then is what has run. The kernel counts the switch
 * first, so that it belongs to it.
 */
SEC("perf_event")
int switched(void *ctx)
{
	read_current();
	return 0;
}

/* The cgroup of what runs here, as it was when it began to: a task that moves is in the new one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} entered_in SEC(".maps");

static __always_inline void note_cgroup(struct task_struct *task)
{
	__u32 zero = 0;
	__u64 *cgroup = bpf_map_lookup_elem(&entered_in, &zero);

	if (cgroup)
		*cgroup = (__u64)cgroup_of(task, setup.by_controller);
}

SEC("raw_tp/sched_switch")
int BPF_PROG(resumed, bool preempted, struct task_struct *before, struct task_struct *task)
{
	note_cgroup(task);
	return 0;
}

/*
 * What a task has done before it moves itself is the old cgroup's. One that another task moves
 * while it runs on another CPU takes with it what it has done since it was switched to.
 */
SEC("raw_tp/cgroup_attach_task")
int BPF_PROG(moved, struct cgroup *to, const char *path, struct task_struct *task, bool threads)
{
	__u32 zero = 0;
	__u32 *on = on_here();
	__u64 *cgroup = bpf_map_lookup_elem(&entered_in, &zero);
	__u32 process = bpf_get_current_pid_tgid() >> 32;

	if (!on || !*on || !cgroup ||
	    (task != current() && (!threads || (__u32)BPF_CORE_READ(task, tgid) != process)))
		return 0;
	read_into(slot_of_cgroup((struct cgroup *)*cgroup));
	note_cgroup(current());
	return 0;
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 slot = slot_of_task(parent);

	if (slot != NO_SLOT)
		follow(child, slot);
	return 0;
}

/* Where the kernel ends the events that follow a task, too. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(ended, struct task_struct *task)
{
	__u64 key = (__u64)task;
	__u32 tid = BPF_CORE_READ(task, pid);

	read_current();
	bpf_map_delete_elem(&tasks, &key);
	bpf_map_delete_elem(&wanted, &tid);
	return 0;
}

/* The kernel names a program right after it has enabled the events that wait for an exec. */
SEC("raw_tp/task_rename")
int BPF_PROG(renamed, struct task_struct *task)
{
	if (task == current() && find_wanted(task) != NO_SLOT)
		read_into(NO_SLOT);
	return 0;
}

/* --- runs of BPF programs, of each of which these two are attached once --- */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counting_run);
} runs SEC(".maps");

static __always_inline struct counting_run *run_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&runs, &zero);
}

static __always_inline bool is_unbroken(const struct counting_run *run)
{
	return run->task == (__u64)current() && run->switches == nr_switches();
}

/* What runs within another run, as in an interrupt, is a part of it. */
SEC("fentry")
int BPF_PROG(entered)
{
	__u32 *on = on_here();
	struct counting_run *run = run_here();

	if (!on || !*on || !run || (run->args && is_unbroken(run)))
		return 0;
	if (run->args)
		run->nr_broken++;
	run->task = (__u64)current();
	run->switches = nr_switches();
	run->args = (__u64)ctx;
	read_into(NO_SLOT);
	return 0;
}

SEC("fexit")
int BPF_PROG(left)
{
	__u32 *on = on_here();
	struct counting_run *run = run_here();

	if (!on || !run || run->args != (__u64)ctx)
		return 0;
	if (*on && is_unbroken(run)) {
		read_into(0);
		run->nr_counted++;
	} else if (*on) {
		run->nr_broken++;
	}
	run->args = 0;
	return 0;
}

/* --- what is run on one CPU --- */

SEC("raw_tp")
int start(void *ctx)
{
	__u32 *on = on_here();

	if (!on || *on)
		return 0;
	read_into(NO_SLOT);
	if (setup.kind == COUNTING_CGROUPS)
		note_cgroup(current());
	*on = 1;
	return 0;
}

SEC("raw_tp")
int stop(void *ctx)
{
	__u32 *on = on_here();

	read_current();
	if (on)
		*on = 0;
	return 0;
}

/* Makes the sums those of now. */
SEC("raw_tp")
int sum_up(void *ctx)
{
	read_current();
	return 0;
}
