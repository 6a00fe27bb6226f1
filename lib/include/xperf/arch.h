/* SPDX-License-Identifier: MIT */
/* The processor seam: what differs between machine architectures, as a table. */
#ifndef XPERF_ARCH_H
#define XPERF_ARCH_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/**
 * struct xp_arch_reg - a register that samples can bear
 * @name:  "AX", as perf-record(1) has it
 * @bit:   in the masks of struct xp_sampling_opts and struct xp_regs
 * @dwarf: its number in debugging information; -1: it has none
 */
struct xp_arch_reg {
	const char *name;
	int bit;
	int dwarf;
};

/**
 * struct xp_arch_regs - the registers of a machine, perhaps not of this one
 * @arch:           "x86", "arm64", …
 * @regs:           in the order of their bits; a row without a name ends the table
 * @ip_bit, @sp_bit: those of where it ran, and of its stack's end
 */
struct xp_arch_regs {
	const char *arch;
	const struct xp_arch_reg *regs;
	int ip_bit;
	int sp_bit;
};

/**
 * xp_arch_regs_find - the registers in samples of a machine
 * @machine: what uname(2) calls it, as recordings say: "x86_64", "i686", "aarch64", "armv7l", …
 * @abi:     of the sample, struct xp_regs; 0: that of the machine itself
 *
 * Returns them, in static storage; NULL if such machines are not known.
 *
 * Source: asm/perf_regs.h of each architecture; the psABI of each for DWARF numbers.
 */
XP_API const struct xp_arch_regs *xp_arch_regs_find(const char *machine, uint64_t abi);

/** xp_arch_reg_name - the name of a bit of a machine's samples. Returns NULL if it has no name. */
XP_API const char *xp_arch_reg_name(const struct xp_arch_regs *set, int bit);

/**
 * struct xp_arch - one machine architecture
 * @size:       sizeof(struct xp_arch) in the program that made the table; also of one that is a
 * copy
 * @name:       "x86", "arm64", "generic"; for people
 * @has_rdpmc:  counters can be read from user space with @rdpmc
 * @rdpmc:      reads hardware counter @counter (the user page's index - 1) into @ret_raw, of which
 * the page's pmc_width low bits are valid; returns false if that register holds no count. Faults
 * where the page does not say that it may be read
 * @timestamp:  reads the clock that the user page's time_* fields scale; ticks
 * @hypervisor: copies the hypervisor's name into @buf ("KVM", "VMware", …); returns false on bare
 * metal or if unknown
 * @tsc_hz:     frequency of the time stamp counter as the processor or hypervisor reports it, Hz;
 * 0: they do not. NULL: there is no such counter
 *
 * @regs:       registers of samples, in the order of their bits; a row without a name ends the
 *              table
 * @sample_regs: mask of those that are recorded when none are named; 0: samples bear none
 * @unwind_regs: mask of those without which no stack can be walked: where, and the stack's end
 * @user_read_config1: bits of config1 without which the kernel lets no program read the counter of
 *               an event of the processor's; 0: it always may. Source: the kernel's
 *               Documentation/arch/arm64/perf.rst, "Perf Userspace PMU Hardware Counter Access"
 *
 * @user_read_gate: a file that holds 0 while the kernel lets no program read counters; NULL: there
 *               is none. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices;
 *               Documentation/admin-guide/sysctl/kernel.rst
 *
 * Source: perf_event_open(2), "MMAP layout", cap_user_rdpmc and cap_user_time; asm/perf_regs.h.
 */
struct xp_arch {
	size_t size;
	const char *name;
	bool (*rdpmc)(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw);
	uint64_t (*timestamp)(const struct xp_arch *arch);
	bool (*hypervisor)(const struct xp_arch *arch, char *buf, size_t len);
	uint64_t (*tsc_hz)(const struct xp_arch *arch);
	const struct xp_arch_reg *regs;
	uint64_t sample_regs;
	uint64_t unwind_regs;
	uint64_t user_read_config1;
	const char *user_read_gate;
	bool has_rdpmc;
	uint8_t padding[7]; /* never used */
};

/**
 * xp_arch_native - the architecture this library was built for
 *
 * Returns the table; static storage.
 */
XP_API const struct xp_arch *xp_arch_native(void);

XP_END_DECLS

#endif
