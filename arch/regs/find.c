/* SPDX-License-Identifier: MIT */
/* Which registers a machine's samples bear, by what uname(2) calls the machine. */
#include <string.h>

#include "regs.h"

enum { ANY, BITS_32 }; /* of enum perf_sample_regs_abi: PERF_SAMPLE_REGS_ABI_32 */

/* The first row whose name begins the machine's, and whose ABI is the sample's, is it. */
static const struct row {
	const char *machine;
	uint64_t abi;
	struct xp_arch_regs set;
} rows[] = {
	{ "x86_64", BITS_32, { "x86", xp_regs_i386, 8, 7 } },
	{ "x86_64", ANY, { "x86", xp_regs_x86_64, 8, 7 } },
	{ "x86", ANY, { "x86", xp_regs_x86_64, 8, 7 } },
	{ "amd64", ANY, { "x86", xp_regs_x86_64, 8, 7 } },
	{ "i386", ANY, { "x86", xp_regs_i386, 8, 7 } },
	{ "i486", ANY, { "x86", xp_regs_i386, 8, 7 } },
	{ "i586", ANY, { "x86", xp_regs_i386, 8, 7 } },
	{ "i686", ANY, { "x86", xp_regs_i386, 8, 7 } },
	{ "aarch64", BITS_32, { "arm64", xp_regs_arm_on_arm64, 32, 31 } },
	{ "aarch64", ANY, { "arm64", xp_regs_arm64, 32, 31 } },
	{ "arm64", BITS_32, { "arm64", xp_regs_arm_on_arm64, 32, 31 } },
	{ "arm64", ANY, { "arm64", xp_regs_arm64, 32, 31 } },
	{ "arm", ANY, { "arm", xp_regs_arm, 15, 13 } },
	{ "riscv", ANY, { "riscv", xp_regs_riscv, 0, 2 } },
	{ "ppc", ANY, { "powerpc", xp_regs_powerpc, 32, 1 } },
	{ "s390", ANY, { "s390", xp_regs_s390, 33, 15 } },
};

const struct xp_arch_regs *xp_arch_regs_find(const char *machine, uint64_t abi)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strncmp(machine, rows[i].machine, strlen(rows[i].machine)) &&
		    (rows[i].abi == ANY || rows[i].abi == abi))
			return &rows[i].set;
	return NULL;
}

const char *xp_arch_reg_name(const struct xp_arch_regs *set, int bit)
{
	for (const struct xp_arch_reg *reg = set->regs; reg->name; reg++)
		if (reg->bit == bit)
			return reg->name;
	return NULL;
}
