/* SPDX-License-Identifier: MIT */
/*
 * Code that linkers add and do not describe: entries of the procedure linkage table, and of long
 * jumps. They end in a jump by a register, and until then the return address is where the call has
 * put it; only the first entry, for functions that are not known yet, pushes it.
 *
 * Source: ELF for the Arm 64-bit Architecture, "Procedure linkage table" (x16 and x17 are for
 * linkers); Arm Architecture Reference Manual, C6.2; what binutils and lld write.
 */
#include <elf.h>
#include <string.h>

#include "stub.h"

enum part { NO_PART, GUARD, PUSH, BEGIN, MIDDLE, JUMP };

static const struct {
	uint32_t mask, value;
	enum part part;
} instructions[] = {
	{ 0xffffffff, 0xd503245f, GUARD },  /* bti c */
	{ 0xffffffff, 0xa9bf7bf0, PUSH },   /* stp x16, x30, [sp, #-16]! */
	{ 0x9f00001f, 0x90000010, BEGIN },  /* adrp x16, ... */
	{ 0xffc003ff, 0xf9400211, MIDDLE }, /* ldr x17, [x16, ...] */
	{ 0xff8003ff, 0x91000210, MIDDLE }, /* add x16, x16, ... */
	{ 0xffffffff, 0xd503219f, MIDDLE }, /* autia1716 */
	{ 0xffffffff, 0xd61f0200, JUMP },   /* br x16 */
	{ 0xffffffff, 0xd61f0220, JUMP },   /* br x17 */
};

static enum part part_of(uint32_t instruction)
{
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
		if ((instruction & instructions[i].mask) == instructions[i].value)
			return instructions[i].part;
	return NO_PART;
}

/* Where the code begins whose last instruction before the jump is @at. Returns -1: it is another
 * code. */
static int first_part(const enum part *parts, int at)
{
	while (at > 0 && parts[at] == MIDDLE)
		at--;
	if (parts[at] != BEGIN)
		return -1;
	if (at > 0 && parts[at - 1] == PUSH)
		at--;
	return at > 0 && parts[at - 1] == GUARD ? at - 1 : at;
}

bool xp_stub_rule(const struct machine *machine, const uint8_t code[STUB_BYTES], struct rule *rule)
{
	enum { NR = STUB_BYTES / 4, HERE = STUB_BEFORE / 4 };
	enum part parts[NR];
	uint32_t word;
	int jump = HERE, first;

	if (machine->elf != EM_AARCH64)
		return false;
	for (int i = 0; i < NR; i++) {
		memcpy(&word, code + 4 * i, sizeof(word));
		parts[i] = part_of(word);
	}
	while (jump < NR - 1 && parts[jump] != JUMP && parts[jump] != NO_PART)
		jump++;
	if (parts[jump] != JUMP)
		return false;
	first = first_part(parts, jump - 1);
	if (first < 0 || first > HERE)
		return false;
	*rule = (struct rule){ .kind = RULE_FRAME, .cfa_reg = machine->sp };
	for (int i = first; i < HERE; i++)
		if (parts[i] == PUSH) {
			rule->cfa_offset = 2 * machine->word;
			rule->saved = 1;
			rule->at[0] = -1;
		}
	return true;
}
