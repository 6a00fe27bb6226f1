/* SPDX-License-Identifier: MIT */
/*
 * Which samples of an event are kept: the program runs before the kernel writes one, and what it
 * returns 0 for is not written. The conditions are constants, so only what they need is checked
 * and left when the program is loaded.
 *
 * Since Linux 6.3 a sample is made before the program runs; before, only its period and address
 * are. Source: kernel/events/core.c, bpf_overflow_handler().
 */
#include "kernel.bpf.h"
#include <linux/bpf_perf_event.h>

#include "sample-terms.h"

union perf_sample_weight {
	__u64 full;
} IN_KERNEL;

union perf_mem_data_src {
	__u64 val;
} IN_KERNEL;

struct perf_sample_data {
	__u64 period;
	struct {
		__u32 pid, tid;
	} tid_entry;
	__u64 time, id;
	struct {
		__u32 cpu;
	} cpu_entry;
	__u64 ip;
	union perf_sample_weight weight;
	union perf_mem_data_src data_src;
	__u64 txn, addr, cgroup, phys_addr, data_page_size, code_page_size;
} IN_KERNEL;

struct bpf_perf_event_data_kern {
	struct perf_sample_data *data;
} IN_KERNEL;

struct tally {
	__u64 kept, kept_period;
	__u64 dropped, dropped_period;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

const volatile __u32 nr_terms = 0;
const volatile struct sample_term terms[SAMPLE_TERMS_MAX] = {};

#define OF_SAMPLE(member) BPF_CORE_READ(data, member)

static __always_inline __u64 read_field(__u32 field, void *from)
{
	/* Not by the members of its context: where they are depends on the machine's registers. */
	struct perf_sample_data *data =
		BPF_CORE_READ((struct bpf_perf_event_data_kern *)from, data);

	switch (field) {
	case SAMPLE_FIELD_IP:
		return OF_SAMPLE(ip);
	case SAMPLE_FIELD_ID:
		return OF_SAMPLE(id);
	case SAMPLE_FIELD_TID:
		return OF_SAMPLE(tid_entry.tid);
	case SAMPLE_FIELD_PID:
		return OF_SAMPLE(tid_entry.pid);
	case SAMPLE_FIELD_CPU:
		return OF_SAMPLE(cpu_entry.cpu);
	case SAMPLE_FIELD_TIME:
		return OF_SAMPLE(time);
	case SAMPLE_FIELD_ADDR:
		return OF_SAMPLE(addr);
	case SAMPLE_FIELD_PERIOD:
		return OF_SAMPLE(period);
	case SAMPLE_FIELD_TRANSACTION:
		return OF_SAMPLE(txn);
	case SAMPLE_FIELD_WEIGHT:
		return OF_SAMPLE(weight.full);
	case SAMPLE_FIELD_PHYS_ADDR:
		return OF_SAMPLE(phys_addr);
	case SAMPLE_FIELD_CODE_PAGE:
		return OF_SAMPLE(code_page_size);
	case SAMPLE_FIELD_DATA_PAGE:
		return OF_SAMPLE(data_page_size);
	case SAMPLE_FIELD_DATA_SOURCE:
		return OF_SAMPLE(data_src.val);
	case SAMPLE_FIELD_UID:
		return (__u32)bpf_get_current_uid_gid();
	case SAMPLE_FIELD_CGROUP:
		return OF_SAMPLE(cgroup);
	default:
		return bpf_get_current_uid_gid() >> 32;
	}
}

SEC("perf_event")
int filter(struct bpf_perf_event_data *ctx)
{
	__u32 zero = 0;
	struct tally *tally = bpf_map_lookup_elem(&tallies, &zero);
	bool keeps = sample_terms_hold(terms, nr_terms, read_field, ctx);
	__u64 period = read_field(SAMPLE_FIELD_PERIOD, ctx);

	if (tally && keeps) {
		tally->kept++;
		tally->kept_period += period;
	} else if (tally) {
		tally->dropped++;
		tally->dropped_period += period;
	}
	return keeps;
}
