/* SPDX-License-Identifier: MIT */
/* Architectures without a folder of their own: counters are read by system calls. */
#include <xperf/arch.h>

static bool no_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	(void)counter;
	(void)ret_raw;
	return false;
}

static uint64_t no_timestamp(const struct xp_arch *arch)
{
	(void)arch;
	return 0;
}

static bool no_hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	(void)arch;
	(void)buf;
	(void)len;
	return false;
}

static const struct xp_arch_reg no_regs[] = { { NULL, 0, 0 } };

static const struct xp_arch generic_arch = {
	.size = sizeof(generic_arch),
	.name = "generic",
	.rdpmc = no_rdpmc,
	.timestamp = no_timestamp,
	.hypervisor = no_hypervisor,
	.regs = no_regs,
};

const struct xp_arch *xp_arch_native(void)
{
	return &generic_arch;
}
