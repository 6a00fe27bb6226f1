/* SPDX-License-Identifier: MIT */
/*
 * Functions that leave the return address where the call has put it: the arm64 vDSO has such ones,
 * and describes them not at all. Nowhere in them is an instruction that could write to the stack
 * pointer or to the return address, so that it does not matter how the program came to where it is.
 *
 * Source: Arm Architecture Reference Manual, C4.1 (groups of instructions): the registers that one
 * writes are in bits 0 to 4, of pairs and exchanges also in 5 to 9 (bases), 10 to 14 and 16 to 20.
 */
#include "leaf.h"

#include <elf.h>

enum { LR = 30, SP = 31 };

/* Branches, and what belongs to the system, that write to no register; of mrs see below. */
static const struct {
	uint32_t mask, value;
} harmless[] = {
	{ 0xfc000000, 0x14000000 }, /* b */
	{ 0xff000000, 0x54000000 }, /* b.cond */
	{ 0x7e000000, 0x34000000 }, /* cbz, cbnz */
	{ 0x7e000000, 0x36000000 }, /* tbz, tbnz */
	{ 0xffffffff, 0xd65f03c0 }, /* ret */
	{ 0xfffffc1f, 0xd61f0000 }, /* br */
	{ 0xffe0001f, 0xd4000001 }, /* svc */
	{ 0xfffff01f, 0xd503201f }, /* hints; those for return addresses leave the address */
	{ 0xfffff01f, 0xd503301f }, /* barriers */
};

static bool is_harmless(uint32_t code)
{
	enum { MRS_MASK = 0xfff00000 };

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if ((code & harmless[i].mask) == harmless[i].value)
			return true;
	return (code & (uint32_t)MRS_MASK) == 0xd5300000 && (code & 31) != LR;
}

/* With a number: 31 is the stack pointer, unless nothing but flags is set (cmp, cmn, tst). */
static bool keeps_number(uint32_t code)
{
	const uint32_t to = code & 31;

	if (to != SP)
		return to != LR;
	return (code & 0x3f000000) == 0x31000000 || (code & 0x7f800000) == 0x72000000;
}

/* The same of registers. */
static bool keeps_register(uint32_t code)
{
	const uint32_t to = code & 31;

	if (to != SP)
		return to != LR;
	return (code & 0x3f000000) == 0x2b000000 || (code & 0x7f000000) == 0x6a000000;
}

/* Loads and stores: what could be one of the registers written to is none of both. Relative to the
 * stack pointer, only forms without write-back. */
static bool keeps_transfer(uint32_t code)
{
	const uint32_t base = code >> 5 & 31;
	const bool has_offset = (code & 0x3b000000) == 0x39000000;
	const bool is_pair = (code & 0x3b800000) == 0x29000000;

	if (base == LR || (base == SP && !has_offset && !is_pair))
		return false;
	if ((code & 31) == LR)
		return false;
	return has_offset || ((code >> 10 & 31) != LR && (code >> 16 & 31) != LR);
}

static bool keeps(uint32_t code)
{
	switch (code >> 25 & 15) {
	case 8:
	case 9:
		return keeps_number(code);
	case 10:
	case 11:
		return is_harmless(code);
	case 5:
	case 13:
		return keeps_register(code);
	case 7:
	case 15: /* of vectors; some write to a register for numbers */
		return (code & 31) != LR;
	case 4:
	case 6:
	case 12:
	case 14:
		return keeps_transfer(code);
	default:
		return false;
	}
}

bool xp_leaf_rule(const struct machine *machine, const uint32_t *code, size_t nr, struct rule *rule)
{
	if (machine->elf != EM_AARCH64 || !nr)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!keeps(code[i]))
			return false;
	*rule = (struct rule){ .kind = RULE_FRAME, .cfa_reg = machine->sp };
	return true;
}
