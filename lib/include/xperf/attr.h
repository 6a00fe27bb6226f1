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

/** Sizes of the attribute by ABI revision, bytes; later bytes must be zero, or the kernel returns
 * E2BIG. */
enum {
	XP_ATTR_SIZE_VER0 = 64,
	XP_ATTR_SIZE_VER7 = 128, /* Linux 5.13 */
	XP_ATTR_SIZE_VER8 = 136, /* Linux 6.3: config3 */
	XP_ATTR_SIZE_VER9 = 144, /* Linux 7.0: config4 */
};

/** Bits of sample_type: what a sample holds. */
#define XP_SAMPLE_IP             (UINT64_C(1) << 0)
#define XP_SAMPLE_TID            (UINT64_C(1) << 1)
#define XP_SAMPLE_TIME           (UINT64_C(1) << 2)
#define XP_SAMPLE_ADDR           (UINT64_C(1) << 3)
#define XP_SAMPLE_READ           (UINT64_C(1) << 4)
#define XP_SAMPLE_CALLCHAIN      (UINT64_C(1) << 5)
#define XP_SAMPLE_ID             (UINT64_C(1) << 6)
#define XP_SAMPLE_CPU            (UINT64_C(1) << 7)
#define XP_SAMPLE_PERIOD         (UINT64_C(1) << 8)
#define XP_SAMPLE_STREAM_ID      (UINT64_C(1) << 9)
#define XP_SAMPLE_RAW            (UINT64_C(1) << 10)
#define XP_SAMPLE_BRANCH_STACK   (UINT64_C(1) << 11)
#define XP_SAMPLE_REGS_USER      (UINT64_C(1) << 12)
#define XP_SAMPLE_STACK_USER     (UINT64_C(1) << 13)
#define XP_SAMPLE_WEIGHT         (UINT64_C(1) << 14)
#define XP_SAMPLE_DATA_SRC       (UINT64_C(1) << 15)
#define XP_SAMPLE_IDENTIFIER     (UINT64_C(1) << 16)
#define XP_SAMPLE_TRANSACTION    (UINT64_C(1) << 17)
#define XP_SAMPLE_REGS_INTR      (UINT64_C(1) << 18)
#define XP_SAMPLE_PHYS_ADDR      (UINT64_C(1) << 19)
#define XP_SAMPLE_AUX            (UINT64_C(1) << 20)
#define XP_SAMPLE_CGROUP         (UINT64_C(1) << 21)
#define XP_SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define XP_SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define XP_SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)

/** Bits of read_format: what a reading holds. */
#define XP_FORMAT_TOTAL_TIME_ENABLED (UINT64_C(1) << 0)
#define XP_FORMAT_TOTAL_TIME_RUNNING (UINT64_C(1) << 1)
#define XP_FORMAT_ID                 (UINT64_C(1) << 2)
#define XP_FORMAT_GROUP              (UINT64_C(1) << 3)
#define XP_FORMAT_LOST               (UINT64_C(1) << 4) /* Linux 6.0 */

/** Bits of branch_sample_type: which branches are recorded, and what of each. */
#define XP_BRANCH_USER       (UINT64_C(1) << 0)
#define XP_BRANCH_KERNEL     (UINT64_C(1) << 1)
#define XP_BRANCH_HV         (UINT64_C(1) << 2)
#define XP_BRANCH_ANY        (UINT64_C(1) << 3)
#define XP_BRANCH_ANY_CALL   (UINT64_C(1) << 4)
#define XP_BRANCH_ANY_RETURN (UINT64_C(1) << 5)
#define XP_BRANCH_IND_CALL   (UINT64_C(1) << 6)
#define XP_BRANCH_ABORT_TX   (UINT64_C(1) << 7)
#define XP_BRANCH_IN_TX      (UINT64_C(1) << 8)
#define XP_BRANCH_NO_TX      (UINT64_C(1) << 9)
#define XP_BRANCH_COND       (UINT64_C(1) << 10)
#define XP_BRANCH_CALL_STACK (UINT64_C(1) << 11)
#define XP_BRANCH_IND_JUMP   (UINT64_C(1) << 12)
#define XP_BRANCH_CALL       (UINT64_C(1) << 13)
#define XP_BRANCH_NO_FLAGS   (UINT64_C(1) << 14)
#define XP_BRANCH_NO_CYCLES  (UINT64_C(1) << 15)
#define XP_BRANCH_TYPE_SAVE  (UINT64_C(1) << 16)
#define XP_BRANCH_HW_INDEX   (UINT64_C(1) << 17)
#define XP_BRANCH_PRIV_SAVE  (UINT64_C(1) << 18)
#define XP_BRANCH_COUNTERS   (UINT64_C(1) << 19)

/** Values of type. The kernel gives PMUs of its own numbers from XP_TYPE_MAX on. */
enum {
	XP_TYPE_HARDWARE,
	XP_TYPE_SOFTWARE,
	XP_TYPE_TRACEPOINT,
	XP_TYPE_HW_CACHE,
	XP_TYPE_RAW,
	XP_TYPE_BREAKPOINT,
	XP_TYPE_MAX,
};

/** Values of config for XP_TYPE_SOFTWARE. */
enum {
	XP_SW_CPU_CLOCK,
	XP_SW_TASK_CLOCK,
	XP_SW_PAGE_FAULTS,
	XP_SW_CONTEXT_SWITCHES,
	XP_SW_CPU_MIGRATIONS,
	XP_SW_PAGE_FAULTS_MIN,
	XP_SW_PAGE_FAULTS_MAJ,
	XP_SW_ALIGNMENT_FAULTS,
	XP_SW_EMULATION_FAULTS,
	XP_SW_DUMMY,
	XP_SW_BPF_OUTPUT,
	XP_SW_CGROUP_SWITCHES,
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
