/* SPDX-License-Identifier: MIT */
/* The processor seam: what differs between machine architectures, as a table. */
#ifndef XPERF_ARCH_H
#define XPERF_ARCH_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/** struct xp_arch_reg - a register that samples can bear. @name: "AX"; @bit: in the masks of
 * struct xp_sampling_opts */
struct xp_arch_reg {
	const char *name;
	int bit;
};

/**
 * struct xp_arch - one machine architecture
 * @name:       "x86", "generic"; for people
 * @has_rdpmc:  counters can be read from user space with @rdpmc
 * @rdpmc:      reads hardware counter @counter (the user page's index - 1) into @ret_raw, of which
 * the page's pmc_width low bits are valid; returns false if that register holds no count. Faults
 * where the page does not say that it may be read
 * @timestamp:  reads the clock that the user page's time_* fields scale; ticks
 * @hypervisor: copies the hypervisor's name into @buf ("KVM", "VMware", …); returns false on bare
 * metal or if unknown
 *
 * @regs:       registers of samples, in the order of their bits, a row without a name behind the
 * last
 * @sample_regs: mask of those that are recorded when none are named; 0: samples bear none
 * @unwind_regs: mask of those without which no stack can be walked: where, and the stack's end
 *
 * Source: perf_event_open(2), "MMAP layout", cap_user_rdpmc and cap_user_time; asm/perf_regs.h.
 */
struct xp_arch {
	const char *name;
	bool has_rdpmc;
	bool (*rdpmc)(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw);
	uint64_t (*timestamp)(const struct xp_arch *arch);
	bool (*hypervisor)(const struct xp_arch *arch, char *buf, size_t len);
	const struct xp_arch_reg *regs;
	uint64_t sample_regs;
	uint64_t unwind_regs;
};

/**
 * xp_arch_native - the architecture this library was built for
 *
 * Returns the table; static storage.
 */
XP_API const struct xp_arch *xp_arch_native(void);

XP_END_DECLS

#endif
