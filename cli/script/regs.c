/* SPDX-License-Identifier: MIT */
/*
 * Registers of a sample, by the names they have where it was recorded. Source of the layout: perf
 * script, 6.1, measured.
 */
#include <stdio.h>
#include <string.h>
#include <xperf/arch.h>
#include <xperf/record.h>

#include "script.h"

const char *reg_name(const struct xp_arch_regs *machine, int bit, char *buf, size_t size)
{
	enum { XMM_BIT = 32 }; /* of two bits, the first has the name */
	bool is_xmm = machine && bit >= XMM_BIT && !strcmp(machine->arch, "x86");
	const char *name = machine ? xp_arch_reg_name(machine, is_xmm ? bit & ~1 : bit) : NULL;

	if (name)
		return name;
	snprintf(buf, size, "reg%d", bit);
	return buf;
}

void regs_show(struct script *script, const struct xp_regs *regs)
{
	enum { NAME_WIDTH = 5 };
	struct sink *out = &script->out;
	char buf[8];
	int nr = 0;

	if (!regs->values)
		return;
	sink_text(out, " ABI:");
	sink_dec(out, regs->abi, 0, ' ');
	sink_char(out, ' ');
	for (uint64_t mask = regs->mask; mask && nr < regs->nr; mask &= mask - 1, nr++) {
		int bit = __builtin_ctzll(mask);

		sink_padded(out, reg_name(script->machine, bit, buf, sizeof(buf)), NAME_WIDTH);
		sink_text(out, ":0x");
		sink_hex(out, regs->values[nr], 0, ' ');
		sink_char(out, ' ');
	}
}
