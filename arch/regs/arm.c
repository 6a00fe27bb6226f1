/* SPDX-License-Identifier: MIT */
/*
 * Arm registers, of 64 and of 32 bits: name, bit, DWARF number.
 * Source: asm/perf_regs.h of both, enum perf_event_arm_regs; DWARF for the Arm 64-bit Architecture
 * (pc is 32, vg 46) and DWARF for the Arm Architecture, "DWARF register names". A 32-bit program on
 * a 64-bit kernel has its r13 and r14 in the places of sp and lr: arm64's perf_reg_value().
 */
#include "regs.h"

const struct xp_arch_reg xp_regs_arm64[] = {
	{ "x0", 0, 0 },    { "x1", 1, 1 },    { "x2", 2, 2 },    { "x3", 3, 3 },
	{ "x4", 4, 4 },    { "x5", 5, 5 },    { "x6", 6, 6 },    { "x7", 7, 7 },
	{ "x8", 8, 8 },    { "x9", 9, 9 },    { "x10", 10, 10 }, { "x11", 11, 11 },
	{ "x12", 12, 12 }, { "x13", 13, 13 }, { "x14", 14, 14 }, { "x15", 15, 15 },
	{ "x16", 16, 16 }, { "x17", 17, 17 }, { "x18", 18, 18 }, { "x19", 19, 19 },
	{ "x20", 20, 20 }, { "x21", 21, 21 }, { "x22", 22, 22 }, { "x23", 23, 23 },
	{ "x24", 24, 24 }, { "x25", 25, 25 }, { "x26", 26, 26 }, { "x27", 27, 27 },
	{ "x28", 28, 28 }, { "x29", 29, 29 }, { "lr", 30, 30 },  { "sp", 31, 31 },
	{ "pc", 32, 32 },  { "vg", 46, 46 },  { NULL, 0, 0 },
};

const struct xp_arch_reg xp_regs_arm_on_arm64[] = {
	{ "r0", 0, 0 },    { "r1", 1, 1 },   { "r2", 2, 2 },   { "r3", 3, 3 },   { "r4", 4, 4 },
	{ "r5", 5, 5 },    { "r6", 6, 6 },   { "r7", 7, 7 },   { "r8", 8, 8 },   { "r9", 9, 9 },
	{ "r10", 10, 10 }, { "fp", 11, 11 }, { "ip", 12, 12 }, { "lr", 30, 14 }, { "sp", 31, 13 },
	{ "pc", 32, 15 },  { NULL, 0, 0 },
};

const struct xp_arch_reg xp_regs_arm[] = {
	{ "r0", 0, 0 },    { "r1", 1, 1 },   { "r2", 2, 2 },   { "r3", 3, 3 },   { "r4", 4, 4 },
	{ "r5", 5, 5 },    { "r6", 6, 6 },   { "r7", 7, 7 },   { "r8", 8, 8 },   { "r9", 9, 9 },
	{ "r10", 10, 10 }, { "fp", 11, 11 }, { "ip", 12, 12 }, { "sp", 13, 13 }, { "lr", 14, 14 },
	{ "pc", 15, 15 },  { NULL, 0, 0 },
};
