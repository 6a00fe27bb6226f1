/* SPDX-License-Identifier: MIT */
/*
 * Call chains in user space at each sample of an event, by rules. A sample whose chain is complete
 * is written with it, and the kernel writes none; all others the kernel writes, with a copy of the
 * stack, for the recorder to unwind.
 */
#include "kernel.bpf.h"
#include <linux/bpf_perf_event.h>

#define WALKS_BY_POINTERS 0
#include "kernel-walk.h"
#include "stack-walk.bpf.h"

enum { HEAD = offsetof(struct walked, ips), FRAMES_AT_ONCE = 33 };

/* Programs of events do not interrupt each other on a CPU. Source: kernel/events/core.c,
 * bpf_overflow_handler(), bpf_prog_active. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walked);
} present SEC(".maps");

/* The events that samples are written by, one a CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outputs SEC(".maps");

struct perf_event {
	__u64 id;
	struct perf_event *parent;
} IN_KERNEL;

struct perf_sample_data {
	__u64 period;
} IN_KERNEL;

struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
	struct perf_event *event;
} IN_KERNEL;

static __always_inline struct walked *walked_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&present, &zero);
}

/* Counts what no rules were there for, by file: it is worth making them where that is often. */
static __always_inline void count_missing(const struct walk *w)
{
	__u32 number = w->file;
	struct rule_file *file = bpf_map_lookup_elem(&files, &number);

	if (file)
		__sync_fetch_and_add(&file->ended[RULE_END_NOT_YET], 1);
}

/* Some frames on; as step_once(). Returns STEP_ON or enum rule_end. */
__noinline int walk_some(void)
{
	struct walked *out = walked_here();
	struct walk *w = walk_here();
	__u32 end = STEP_ON;

	for (int i = 0; i < FRAMES_AT_ONCE && end == STEP_ON; i++) {
		if (!out || !w)
			return RULE_END_STACK;
		__u64 nr = out->nr, pc = w->pc, was_return = w->is_return;

		nr = one_copy(nr);
		if (nr >= WALKED_FRAMES_MAX)
			return RULE_END_LIMIT;
		end = step_once();
		/* What a signal has interrupted has called nothing, and nothing has called what its
		 * handler returns to. */
		out->ips[nr] = pc - (was_return && !w->is_trampoline);
		out->nr = nr + 1;
	}
	return end;
}

/* Returns false: the chain is not complete. */
static __always_inline bool walk_from(struct bpf_perf_event_data *ctx, struct walked *out)
{
	struct walk w = {}, *here = walk_here();
	bool is_64_bit = true;
	__u32 end = STEP_ON;

	if (!here || !user_registers(ctx, &w, &is_64_bit) || !is_64_bit ||
	    !begin_walk(&w, bpf_get_current_pid_tgid() >> 32))
		return false;
	*here = w;
	out->known_ns = w.known_ns;
	out->nr = 0;
	for (int i = 0; i <= WALKED_FRAMES_MAX / FRAMES_AT_ONCE && end == STEP_ON; i++)
		end = walk_some();
	if (end == RULE_END_NOT_YET)
		count_missing(here);
	out->is_cut = end == RULE_END_LIMIT;
	return end == RULE_END_LIMIT || end == RULE_END_COMPLETE;
}

static __always_inline void describe(struct bpf_perf_event_data *ctx, struct walked *out)
{
	struct bpf_perf_event_data_kern *kernel = (void *)ctx;
	struct perf_event *event = BPF_CORE_READ(kernel, event);
	struct perf_event *parent = BPF_CORE_READ(event, parent);

	out->id = parent ? BPF_CORE_READ(parent, id) : BPF_CORE_READ(event, id);
	/* Not as ctx->sample_period: where that is depends on the machine's registers. */
	out->period = BPF_CORE_READ(kernel, data, period);
}

SEC("perf_event")
int each_sample(struct bpf_perf_event_data *ctx)
{
	enum { DONE, BY_KERNEL, NO_ROOM = -28 }; /* errno.h, ENOSPC */
	struct walked *out = walked_here();

	if (!out || !walk_from(ctx, out))
		return BY_KERNEL;
	describe(ctx, out);
	__u64 bytes = HEAD + (__u64)out->nr * sizeof(out->ips[0]);

	bytes = one_copy(bytes);
	if (bytes > sizeof(*out))
		return BY_KERNEL;
	long err = bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, out, bytes);

	/* Without room in the ring it is lost, as the kernel's would be, and counted there. */
	return err && err != NO_ROOM ? BY_KERNEL : DONE;
}
