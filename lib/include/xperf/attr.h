/* SPDX-License-Identifier: MIT */
/*
 * The kernel's event description, as far as Linux defines it today.
 *
 * The layout is the kernel ABI's struct perf_event_attr: a pointer to one may be cast to the
 * other. Ours reaches further than the header of an older system, so that a program built
 * there can use what a newer kernel offers.
 *
 * Source: perf_event_open(2), linux/perf_event.h (Linux 7.2).
 */
#ifndef XPERF_ATTR_H
#define XPERF_ATTR_H

#include <xperf/api.h>

/** Sizes of the attribute by ABI revision, bytes; what lies behind must be zero or is refused with
 * E2BIG. */
enum {
	XP_ATTR_SIZE_VER0 = 64,
	XP_ATTR_SIZE_VER7 = 128, /* Linux 5.13 */
	XP_ATTR_SIZE_VER8 = 136, /* Linux 6.3: config3 */
	XP_ATTR_SIZE_VER9 = 144, /* Linux 7.0: config4 */
};

/** struct xp_attr - see perf_event_open(2); names and meaning are the kernel's. */
struct xp_attr {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	__extension__ union {
		uint64_t sample_period;
		uint64_t sample_freq;
	};
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t disabled : 1;
	uint64_t inherit : 1;
	uint64_t pinned : 1;
	uint64_t exclusive : 1;
	uint64_t exclude_user : 1;
	uint64_t exclude_kernel : 1;
	uint64_t exclude_hv : 1;
	uint64_t exclude_idle : 1;
	uint64_t mmap : 1;
	uint64_t comm : 1;
	uint64_t freq : 1;
	uint64_t inherit_stat : 1;
	uint64_t enable_on_exec : 1;
	uint64_t task : 1;
	uint64_t watermark : 1;
	uint64_t precise_ip : 2;
	uint64_t mmap_data : 1;
	uint64_t sample_id_all : 1;
	uint64_t exclude_host : 1;
	uint64_t exclude_guest : 1;
	uint64_t exclude_callchain_kernel : 1;
	uint64_t exclude_callchain_user : 1;
	uint64_t mmap2 : 1;
	uint64_t comm_exec : 1;
	uint64_t use_clockid : 1;
	uint64_t context_switch : 1;
	uint64_t write_backward : 1;
	uint64_t namespaces : 1;
	uint64_t ksymbol : 1;
	uint64_t bpf_event : 1;
	uint64_t aux_output : 1;
	uint64_t cgroup : 1;
	uint64_t text_poke : 1;
	uint64_t build_id : 1;
	uint64_t inherit_thread : 1;
	uint64_t remove_on_exec : 1;
	uint64_t sigtrap : 1;
	uint64_t defer_callchain : 1;
	uint64_t defer_output : 1;
	uint64_t reserved_1 : 24;
	__extension__ union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark;
	};
	uint32_t bp_type;
	__extension__ union {
		uint64_t bp_addr;
		uint64_t kprobe_func;
		uint64_t uprobe_path;
		uint64_t config1;
	};
	__extension__ union {
		uint64_t bp_len;
		uint64_t kprobe_addr;
		uint64_t probe_offset;
		uint64_t config2;
	};
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};

#endif
