/* SPDX-License-Identifier: MIT */
/*
 * x86 registers: name as in perf-record(1), bit, DWARF number.
 * Source: asm/perf_regs.h, enum perf_event_x86_regs (an XMM register has two bits); System V ABI,
 * AMD64 supplement, figure "DWARF Register Number Mapping", and the one for Intel386.
 */
#include "regs.h"

const struct xp_arch_reg xp_regs_x86_64[] = {
	{ "AX", 0, 0 },      { "BX", 1, 3 },      { "CX", 2, 2 },      { "DX", 3, 1 },
	{ "SI", 4, 4 },      { "DI", 5, 5 },      { "BP", 6, 6 },      { "SP", 7, 7 },
	{ "IP", 8, 16 },     { "FLAGS", 9, 49 },  { "CS", 10, 51 },    { "SS", 11, 52 },
	{ "DS", 12, 53 },    { "ES", 13, 50 },    { "FS", 14, 54 },    { "GS", 15, 55 },
	{ "R8", 16, 8 },     { "R9", 17, 9 },     { "R10", 18, 10 },   { "R11", 19, 11 },
	{ "R12", 20, 12 },   { "R13", 21, 13 },   { "R14", 22, 14 },   { "R15", 23, 15 },
	{ "XMM0", 32, 17 },  { "XMM1", 34, 18 },  { "XMM2", 36, 19 },  { "XMM3", 38, 20 },
	{ "XMM4", 40, 21 },  { "XMM5", 42, 22 },  { "XMM6", 44, 23 },  { "XMM7", 46, 24 },
	{ "XMM8", 48, 25 },  { "XMM9", 50, 26 },  { "XMM10", 52, 27 }, { "XMM11", 54, 28 },
	{ "XMM12", 56, 29 }, { "XMM13", 58, 30 }, { "XMM14", 60, 31 }, { "XMM15", 62, 32 },
	{ NULL, 0, 0 },
};

const struct xp_arch_reg xp_regs_i386[] = {
	{ "AX", 0, 0 },     { "BX", 1, 3 },     { "CX", 2, 1 },     { "DX", 3, 2 },
	{ "SI", 4, 6 },     { "DI", 5, 7 },     { "BP", 6, 5 },     { "SP", 7, 4 },
	{ "IP", 8, 8 },     { "FLAGS", 9, 9 },  { "CS", 10, 41 },   { "SS", 11, 42 },
	{ "DS", 12, 43 },   { "ES", 13, 40 },   { "FS", 14, 44 },   { "GS", 15, 45 },
	{ "XMM0", 32, 21 }, { "XMM1", 34, 22 }, { "XMM2", 36, 23 }, { "XMM3", 38, 24 },
	{ "XMM4", 40, 25 }, { "XMM5", 42, 26 }, { "XMM6", 44, 27 }, { "XMM7", 46, 28 },
	{ NULL, 0, 0 },
};
