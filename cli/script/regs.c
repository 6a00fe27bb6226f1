/* SPDX-License-Identifier: MIT */
/*
 * Registers of a sample, by the names they have where it was recorded. Source of the numbers:
 * asm/perf_regs.h of each architecture; of the names and the layout: perf script, 6.1, measured.
 */
#include <stdio.h>
#include <string.h>

#include "script.h"

static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};

static const char *const arm[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};

static const char *const s390[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

static const char *const powerpc[] = {
	"r0",  "r1",      "r2",  "r3",   "r4",  "r5",  "r6",    "r7",   "r8",  "r9",    "r10",
	"r11", "r12",     "r13", "r14",  "r15", "r16", "r17",   "r18",  "r19", "r20",   "r21",
	"r22", "r23",     "r24", "r25",  "r26", "r27", "r28",   "r29",  "r30", "r31",   "nip",
	"msr", "orig_r3", "ctr", "link", "xer", "ccr", "softe", "trap", "dar", "dsisr",
};

static const char *const riscv[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

/* By how the name of the machine, uname(2), begins. */
static const struct machine {
	const char *begin;
	const char *const *names;
	int nr;
} machines[] = {
#define NAMES(table) table, sizeof(table) / sizeof((table)[0])
	{ "x86", NAMES(x86) },     { "i3", NAMES(x86) },          { "i6", NAMES(x86) },
	{ "i5", NAMES(x86) },      { "i4", NAMES(x86) },          { "aarch64", NAMES(arm64) },
	{ "arm64", NAMES(arm64) }, { "arm", NAMES(arm) },         { "s390", NAMES(s390) },
	{ "ppc", NAMES(powerpc) }, { "powerpc", NAMES(powerpc) }, { "riscv", NAMES(riscv) },
#undef NAMES
};

const struct machine *machine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strncmp(name, machines[i].begin, strlen(machines[i].begin)))
			return &machines[i];
	return NULL;
}

const char *reg_name(const struct machine *machine, int bit, char *buf, size_t size)
{
	enum { XMM_BIT = 32, XMM_WORDS = 2 };

	if (machine && bit < machine->nr)
		return machine->names[bit];
	if (machine && machine->names == x86 && bit >= XMM_BIT)
		snprintf(buf, size, "XMM%d", (bit - XMM_BIT) / XMM_WORDS);
	else
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
