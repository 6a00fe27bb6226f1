/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface: the installed headers, plus what newer kernels define.
 * The attribute itself is struct xp_attr in <xperf/attr.h>, checked against the header here.
 */
#ifndef SYS_UAPI_H
#define SYS_UAPI_H

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <xperf/attr.h>

/* pidfd_open(2), Linux 6.9: a single thread */
#define XP_PIDFD_THREAD 0200

/*
 * PROCMAP_QUERY, an ioctl on /proc/PID/maps: linux/fs.h of Linux 6.11. @query_flags say which
 * maps are meant, @vma_flags what the one found is, by the bits below; on return @vma_name_size
 * counts the NUL, 0: no name.
 */
struct xp_procmap_query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

enum {
	XP_PROCMAP_EXECUTABLE = 4, /* 1 readable and 2 writable, as PROT_* */
	XP_PROCMAP_SHARED = 8,
	XP_PROCMAP_OR_NEXT = 16, /* of a query: or the first one above the address */
};

#define XP_PROCMAP_QUERY _IOWR('f', 17, struct xp_procmap_query)

#define XP_SAME_PLACE(field)                                                                       \
	_Static_assert(offsetof(struct xp_attr, field) == offsetof(struct perf_event_attr, field), \
		       "struct xp_attr: " #field " is not where the kernel has it")

XP_SAME_PLACE(config);
XP_SAME_PLACE(sample_freq);
XP_SAME_PLACE(sample_type);
XP_SAME_PLACE(read_format);
XP_SAME_PLACE(wakeup_events);
XP_SAME_PLACE(bp_type);
XP_SAME_PLACE(config1);
XP_SAME_PLACE(config2);
XP_SAME_PLACE(branch_sample_type);
XP_SAME_PLACE(sample_regs_user);
XP_SAME_PLACE(sample_stack_user);
XP_SAME_PLACE(clockid);
XP_SAME_PLACE(sample_regs_intr);
XP_SAME_PLACE(aux_watermark);
XP_SAME_PLACE(sample_max_stack);

#define XP_SAME_VALUE(ours, theirs)                                                                \
	_Static_assert((uint64_t)(ours) == (uint64_t)(theirs), #ours " is not " #theirs)

XP_SAME_VALUE(XP_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_STACK);
XP_SAME_VALUE(XP_SAMPLE_CGROUP, PERF_SAMPLE_CGROUP);
XP_SAME_VALUE(XP_FORMAT_GROUP, PERF_FORMAT_GROUP);
XP_SAME_VALUE(XP_BRANCH_CALL_STACK, PERF_SAMPLE_BRANCH_CALL_STACK);
XP_SAME_VALUE(XP_BRANCH_HW_INDEX, PERF_SAMPLE_BRANCH_HW_INDEX);
XP_SAME_VALUE(XP_TYPE_MAX, PERF_TYPE_MAX);
XP_SAME_VALUE(XP_SW_BPF_OUTPUT, PERF_COUNT_SW_BPF_OUTPUT);

#endif
