/* SPDX-License-Identifier: MIT */
/*
 * A place for a program at events that are open, and at those that children inherit: the kernel
 * writes their samples until stack-each.bpf.c is put into it.
 */
#include "kernel.bpf.h"
#include <linux/bpf_perf_event.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} next SEC(".maps");

SEC("perf_event")
int begin(struct bpf_perf_event_data *ctx)
{
	enum { BY_KERNEL = 1 };

	bpf_tail_call(ctx, &next, 0);
	return BY_KERNEL;
}
