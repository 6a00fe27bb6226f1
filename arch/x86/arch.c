/* SPDX-License-Identifier: MIT */
/*
 * x86: counters by RDPMC, the time stamp counter, the hypervisor's signature.
 * Source: Intel SDM volume 2, RDPMC, RDTSC, CPUID; leaf 0x40000000 by convention of hypervisors.
 */
#include <xperf/arch.h>

#include <asm/perf_regs.h>
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

static bool x86_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	/* upper half of the number of the register with the shares of top-down events */
	enum { PERF_METRICS = 0x2000 };
	uint32_t low, high;

	(void)arch;
	if (counter >> 16 == PERF_METRICS)
		return false;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	*ret_raw = (uint64_t)high << 32 | low;
	return true;
}

static uint64_t x86_timestamp(const struct xp_arch *arch)
{
	uint32_t low, high;

	(void)arch;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
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

static bool x86_hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	enum { HYPERVISOR_BIT = 1U << 31 };
	unsigned int eax, ebx, ecx, edx;
	char signature[13] = { 0 };

	(void)arch;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (unsigned int)HYPERVISOR_BIT))
		return false;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	snprintf(buf, len, "%s", hypervisor_name(signature));
	return true;
}

/* Source: asm/perf_regs.h, enum perf_event_x86_regs; the names are those of perf-record(1). */
#define REG(name)                                                                                  \
	{                                                                                          \
#name, PERF_REG_X86_##name                                                         \
	}
#define XMM(nr)                                                                                    \
	{                                                                                          \
		"XMM" #nr, PERF_REG_X86_XMM##nr                                                    \
	}

static const struct xp_arch_reg regs[] = {
	REG(AX),    REG(BX),  REG(CX),  REG(DX),  REG(SI),  REG(DI),  REG(BP), REG(SP), REG(IP),
	REG(FLAGS), REG(CS),  REG(SS),  REG(DS),  REG(ES),  REG(FS),  REG(GS), REG(R8), REG(R9),
	REG(R10),   REG(R11), REG(R12), REG(R13), REG(R14), REG(R15), XMM(0),  XMM(1),  XMM(2),
	XMM(3),     XMM(4),   XMM(5),   XMM(6),   XMM(7),   XMM(8),   XMM(9),  XMM(10), XMM(11),
	XMM(12),    XMM(13),  XMM(14),  XMM(15),  { 0 },
};

#define BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)

/* The kernel gives no segment registers but CS and SS in 64-bit mode. */
enum { SEGMENTS = BIT(DS) | BIT(ES) | BIT(FS) | BIT(GS) };

static const struct xp_arch x86_arch = {
	.name = "x86",
	.has_rdpmc = true,
	.rdpmc = x86_rdpmc,
	.timestamp = x86_timestamp,
	.hypervisor = x86_hypervisor,
	.regs = regs,
#ifdef __x86_64__
	.sample_regs = (BIT(R15) * 2 - 1) & ~(uint64_t)SEGMENTS,
#else
	.sample_regs = BIT(GS) * 2 - 1,
#endif
	.unwind_regs = BIT(IP) | BIT(SP),
};

const struct xp_arch *xp_arch_native(void)
{
	return &x86_arch;
}
