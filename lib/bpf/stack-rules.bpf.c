/* SPDX-License-Identifier: MIT */
/*
 * Processes that begin, for the walk by rules: a child has the maps of its parent at once, and a
 * process that executes a program has none that are known until xperf has read of it.
 */
#include "rule-maps.bpf.h"

struct task_struct {
	int tgid;
} IN_KERNEL;

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	struct rule_process *process, copy;
	__u64 *was, *is;

	if (from == to)
		return 0;
	process = bpf_map_lookup_elem(&processes, &from);
	was = change_of(from);
	is = change_of(to);
	if (was && is && *was > *is)
		*is = *was;
	if (!process) {
		bpf_map_delete_elem(&processes, &to);
		return 0;
	}
	copy = *process;
	/* What xperf has given to it already stays. */
	bpf_map_update_elem(&processes, &to, &copy, BPF_NOEXIST);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 *is = change_of(pid);

	if (is)
		*is = bpf_ktime_get_ns();
	return 0;
}
