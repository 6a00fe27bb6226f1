/* SPDX-License-Identifier: MIT */
/*
 * arm64: counters and the generic timer as user space reads them, what samples bear.
 * Source: Arm Architecture Reference Manual, PMCCNTR_EL0, PMEVCNTR<n>_EL0, CNTVCT_EL0; the kernel's
 * Documentation/arch/arm64/perf.rst.
 */
#include <xperf/arch.h>
#include <xperf/processor.h>

#include <asm/perf_regs.h>

#include "regs.h"

static bool arm64_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	return xp_processor_counter(counter, ret_raw);
}

static uint64_t arm64_timestamp(const struct xp_arch *arch)
{
	(void)arch;
	return xp_processor_ticks();
}

/* User space cannot ask; virtual machines say it in firmware tables, each in its own way. */
static bool arm64_hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	(void)arch;
	(void)buf;
	(void)len;
	return false;
}

#define BIT(name) (UINT64_C(1) << PERF_REG_ARM64_##name)

_Static_assert(PERF_REG_ARM64_LR == 30 && PERF_REG_ARM64_SP == 31 && PERF_REG_ARM64_PC == 32,
	       "the tables of arch/regs have the kernel's bits");

static const struct xp_arch arm64_arch = {
	.size = sizeof(arm64_arch),
	.name = "arm64",
	.has_rdpmc = true,
	.rdpmc = arm64_rdpmc,
	.timestamp = arm64_timestamp,
	.hypervisor = arm64_hypervisor,
	.regs = xp_regs_arm64,
	/* Without vg, which needs a processor with SVE. */
	.sample_regs = BIT(PC) * 2 - 1,
	.unwind_regs = BIT(PC) | BIT(SP),
	.user_read_config1 = 1 << 1, /* "rdpmc" among the PMU's formats */
	.user_read_gate = "/proc/sys/kernel/perf_user_access",
};

const struct xp_arch *xp_arch_native(void)
{
	return &arm64_arch;
}
