/* SPDX-License-Identifier: MIT */
/* Rules out of call frame information. Source: DWARF 5, 2.5 and 6.4.1. */
#include "rule.h"

#include "ops.h"

/* A register plus a constant: the most common expression. Returns false: it is another one. */
static bool is_sum(const struct cfi_op *op, unsigned int *ret_reg, int64_t *ret_offset)
{
	if (op->atom >= OP_BREG0 && op->atom <= OP_BREG31) {
		*ret_reg = op->atom - OP_BREG0;
		*ret_offset = (int64_t)op->number;
		return true;
	}
	*ret_reg = (unsigned int)op->number;
	*ret_offset = (int64_t)op->number2;
	return op->atom == OP_BREGX && op->number < CFI_REGS;
}

/*
 * The entries of a procedure linkage table are described all at once: an entry pushes a word after
 * its first instruction, or its first two. Linkers write CFA = sp + 8 + ((pc & 15) >= 11) * 8 as an
 * expression. Source: binutils and lld, measured with `readelf -wf`.
 */
static bool is_plt(const struct machine *machine, const struct cfi_op *ops, size_t nr,
		   struct rule *rule)
{
	static const uint8_t atoms[] = { 0, 0, OP_LIT15, OP_AND, 0, OP_GE, 0, OP_SHL, OP_PLUS };
	unsigned int sp, pc;
	int64_t sp_offset, pc_offset;

	if (!machine->is_call_pushing || nr != sizeof(atoms) || !is_sum(&ops[0], &sp, &sp_offset) ||
	    !is_sum(&ops[1], &pc, &pc_offset))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (atoms[i] && ops[i].atom != atoms[i])
			return false;
	unsigned int from = ops[4].atom - OP_LIT0, shift = ops[6].atom - OP_LIT0;
	if (sp != machine->sp || sp_offset != machine->word || pc != machine->pc || pc_offset ||
	    from > 15 || 1U << (shift & 31) != machine->word)
		return false;
	rule->cfa_reg = machine->sp;
	rule->cfa_offset = machine->word;
	rule->plt_from = (uint8_t)from;
	return true;
}

static enum rule_kind kind_of(const struct machine *machine, const struct cfi_row *row,
			      struct rule *rule)
{
	size_t nr = row->cfa.nr;
	unsigned int reg;
	int64_t offset;

	if (row->cfa.kind != CFI_EXPRESSION)
		return RULE_NONE;
	const struct cfi_op *ops = row->ops + row->cfa.first;
	if (is_plt(machine, ops, nr, rule))
		return RULE_PLT;
	bool is_deref = nr == 2 && ops[1].atom == OP_DEREF;
	if ((nr != 1 && !is_deref) || !is_sum(ops, &reg, &offset) || offset != (int32_t)offset)
		return RULE_ODD;
	rule->cfa_reg = (uint8_t)reg;
	rule->cfa_offset = (int32_t)offset;
	return is_deref ? RULE_DEREF : RULE_FRAME;
}

/* At CFA plus an offset. Returns false: it is somewhere else. */
static bool is_at_cfa(const struct machine *machine, const struct cfi_row *row,
		      const struct cfi_value *value, int16_t *ret_words)
{
	int64_t offset = 0;

	if (value->kind != CFI_EXPRESSION || value->nr > 2)
		return false;
	const struct cfi_op *ops = row->ops + value->first;
	if (ops[0].atom != OP_CALL_FRAME_CFA)
		return false;
	if (value->nr == 2) {
		if (ops[1].atom != OP_PLUS_UCONST)
			return false;
		offset = (int64_t)ops[1].number;
	}
	*ret_words = (int16_t)(offset / machine->word);
	return *ret_words * machine->word == offset;
}

int xp_rule_pushed(const struct machine *machine, const struct cfi_row *row)
{
	unsigned int reg;
	int64_t offset;
	int16_t words;

	if (machine->is_call_pushing || row->cfa.kind != CFI_EXPRESSION || row->cfa.nr != 1 ||
	    !is_sum(row->ops + row->cfa.first, &reg, &offset) || reg != machine->sp ||
	    !is_at_cfa(machine, row, &row->regs[machine->ra], &words) || words < 0)
		return 0;
	return (words + 2) & ~1; /* stack pointers are multiples of 16 */
}

void xp_rule_move(const struct machine *machine, struct rule *rule, int words)
{
	if (!words)
		return;
	rule->cfa_offset += words * machine->word;
	for (size_t i = 0; i < machine->nr_saved; i++)
		if (rule->saved >> i & 1)
			rule->at[i] = (int16_t)(rule->at[i] - words);
	/* It has been popped. */
	if (rule->saved & 1 && rule->cfa_offset + rule->at[0] * machine->word < 0)
		rule->saved &= (uint16_t)~1U;
}

struct rule xp_rule_of(const struct machine *machine, const struct cfi_row *row)
{
	struct rule rule = { .is_signal = row->is_signal };
	const struct cfi_value *ra = &row->regs[machine->ra];

	if (row->ra != machine->ra || ra->kind == CFI_UNKNOWN)
		return rule;
	if (ra->kind == CFI_UNDEFINED) {
		rule.kind = RULE_END;
		return rule;
	}
	rule.kind = (uint8_t)kind_of(machine, row, &rule);
	for (size_t i = 0; i < machine->nr_saved && rule.kind != RULE_NONE; i++) {
		const struct cfi_value *value = &row->regs[machine->saved[i]];

		if (value->kind != CFI_EXPRESSION)
			continue;
		if (!is_at_cfa(machine, row, value, &rule.at[i]))
			rule.kind = RULE_ODD;
		rule.saved |= (uint16_t)(1U << i);
	}
	xp_rule_move(machine, &rule, xp_rule_pushed(machine, row));
	return rule;
}
