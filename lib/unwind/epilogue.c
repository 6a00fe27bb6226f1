/* SPDX-License-Identifier: MIT */
/*
 * The last instructions of a function: pops, and a return.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: POP, RET.
 */
#include "epilogue.h"

#include <elf.h>

static bool is_below(const struct machine *machine, const struct rule *rule, size_t i)
{
	return rule->saved >> i & 1 && rule->cfa_offset + rule->at[i] * machine->word < 0;
}

bool xp_rule_has_popped(const struct machine *machine, const struct rule *rule)
{
	if (rule->kind != RULE_FRAME || rule->cfa_reg != machine->sp)
		return false;
	for (size_t i = 0; i < machine->nr_saved; i++)
		if (is_below(machine, rule, i))
			return true;
	return false;
}

static bool pops_and_returns(const struct machine *machine, const uint8_t *code, size_t len)
{
	enum { POP = 0x58, REGISTERS = 7, HIGH_REGISTER = 0x41, RET = 0xc3, REP = 0xf3 };
	size_t at = 0;

	while (at < len) {
		size_t high = machine->elf == EM_X86_64 && code[at] == HIGH_REGISTER;

		if (at + high >= len || (code[at + high] & ~REGISTERS) != POP)
			break;
		at += high + 1;
	}
	at += at < len && code[at] == REP;
	return at < len && code[at] == RET;
}

void xp_epilogue_rule(const struct machine *machine, const uint8_t *code, size_t len,
		      struct rule *rule)
{
	if (!pops_and_returns(machine, code, len))
		return;
	for (size_t i = 0; i < machine->nr_saved; i++)
		if (is_below(machine, rule, i))
			rule->saved &= (uint16_t) ~(1U << i);
}
