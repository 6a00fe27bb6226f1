/* SPDX-License-Identifier: MIT */
/*
 * x86: what its samples bear, the hypervisor's signature, the frequency of time stamps.
 * Source: Intel SDM volume 2, CPUID, leaf 0x15; leaf 0x40000000 by convention of hypervisors, leaf
 * 0x40000010 by that of VMware and KVM.
 */
#include <xperf/arch.h>

#include <asm/perf_regs.h>
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <xperf/processor.h>

#include "regs.h"

static bool x86_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	return xp_processor_counter(counter, ret_raw);
}

static uint64_t x86_timestamp(const struct xp_arch *arch)
{
	(void)arch;
	return xp_processor_ticks();
}

static const struct hypervisor {
	char signature[13];
	const char *name;
} hypervisors[] = {
	{ "KVMKVMKVM", "KVM" },          { "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" },    { "XenVMMXenVMM", "Xen" },
	{ "TCGTCGTCGTCG", "QEMU TCG" },  { "VBoxVBoxVBox", "VirtualBox" },
	{ "bhyve bhyve ", "bhyve" },     { "ACRNACRNACRN", "ACRN" },
	{ " lrpepyh  vr", "Parallels" }, { "prl hyperv  ", "Parallels" },
};

static const char *hypervisor_name(const char *signature)
{
	for (size_t i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++)
		if (!strncmp(signature, hypervisors[i].signature, 12))
			return hypervisors[i].name;
	return "an unknown hypervisor";
}

/* Returns the hypervisor's last leaf, 0 on bare metal. */
static unsigned int hypervisor_leaves(char signature[13])
{
	enum { HYPERVISOR_BIT = 1U << 31 };
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (unsigned int)HYPERVISOR_BIT))
		return 0;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	signature[12] = '\0';
	return eax > 0x40000000 ? eax : 0x40000000;
}

static bool x86_hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	char signature[13];

	(void)arch;
	if (!hypervisor_leaves(signature))
		return false;
	snprintf(buf, len, "%s", hypervisor_name(signature));
	return true;
}

/* A hypervisor's answer comes first: its guest's counter may run at another rate. */
static uint64_t x86_tsc_hz(const struct xp_arch *arch)
{
	enum { CLOCK_LEAF = 0x15, HYPERVISOR_CLOCK_LEAF = 0x40000010 };
	unsigned int eax, ebx, ecx, edx;
	char signature[13];

	(void)arch;
	if (hypervisor_leaves(signature) >= HYPERVISOR_CLOCK_LEAF &&
	    (!strcmp(signature, "KVMKVMKVM") || !strcmp(signature, "VMwareVMware"))) {
		__cpuid(HYPERVISOR_CLOCK_LEAF, eax, ebx, ecx, edx);
		if (eax)
			return UINT64_C(1000) * eax; /* kHz */
	}
	/* The crystal's frequency and the counter's ratio to it. */
	if (!__get_cpuid(CLOCK_LEAF, &eax, &ebx, &ecx, &edx) || !eax)
		return 0;
	return (uint64_t)ecx * ebx / eax;
}

#define BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)

_Static_assert(PERF_REG_X86_GS == 15 && PERF_REG_X86_R15 == 23 && PERF_REG_X86_XMM15 == 62,
	       "the tables of arch/regs have the kernel's bits");

/* The kernel gives no segment registers but CS and SS in 64-bit mode. */
enum { SEGMENTS = BIT(DS) | BIT(ES) | BIT(FS) | BIT(GS) };

static const struct xp_arch x86_arch = {
	.size = sizeof(x86_arch),
	.name = "x86",
	.has_rdpmc = true,
	.rdpmc = x86_rdpmc,
	.timestamp = x86_timestamp,
	.hypervisor = x86_hypervisor,
	.tsc_hz = x86_tsc_hz,
#ifdef __x86_64__
	.regs = xp_regs_x86_64,
	.sample_regs = (BIT(R15) * 2 - 1) & ~(uint64_t)SEGMENTS,
#else
	.regs = xp_regs_i386,
	.sample_regs = BIT(GS) * 2 - 1,
#endif
	.unwind_regs = BIT(IP) | BIT(SP),
	.user_read_gate = "/sys/bus/event_source/devices/cpu/rdpmc",
};

const struct xp_arch *xp_arch_native(void)
{
	return &x86_arch;
}
