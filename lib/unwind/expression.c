/* SPDX-License-Identifier: MIT */
/*
 * A stack machine for the expressions that can be in call frame information: no types, no pieces,
 * no calls. Files are not trusted: steps and stack are bounded.
 *
 * Source: DWARF 5, 2.5.1 "General Operations", 6.4.2.
 */
#include "expression.h"

#include "ops.h"

enum { DEPTH = 32, STEPS = 1024 };

struct evaluation {
	const struct surroundings *around;
	const struct cfi_op *ops;
	size_t nr, at;
	uint64_t stack[DEPTH];
	size_t depth;
	enum result_kind kind;
	bool is_wrong;
};

static void push(struct evaluation *run, uint64_t value)
{
	if (run->depth < DEPTH)
		run->stack[run->depth++] = value;
	else
		run->is_wrong = true;
}

/* The value @below the top. */
static uint64_t peek(struct evaluation *run, uint64_t below)
{
	if (below < run->depth)
		return run->stack[run->depth - 1 - below];
	run->is_wrong = true;
	return 0;
}

static uint64_t pop(struct evaluation *run)
{
	uint64_t value = peek(run, 0);

	if (run->depth)
		run->depth--;
	return value;
}

static void push_register(struct evaluation *run, uint64_t reg, uint64_t offset)
{
	const struct frame *frame = run->around->frame;

	if (reg < CFI_REGS && reg == run->around->machine->pc)
		push(run, frame->pc + offset);
	else if (reg < CFI_REGS && frame_knows(frame, (unsigned int)reg))
		push(run, frame->regs[reg] + offset);
	else
		run->is_wrong = true;
}

static void dereference(struct evaluation *run, uint64_t bytes)
{
	uint64_t value = 0, address = pop(run);

	if (run->is_wrong || bytes < 1 || bytes > 8 ||
	    !run->around->read(run->around->data, address, (size_t)bytes, &value))
		run->is_wrong = true;
	push(run, value);
}

/* Goes to the operation at a place. */
static void jump(struct evaluation *run, uint64_t offset)
{
	for (run->at = 0; run->at < run->nr; run->at++)
		if (run->ops[run->at].offset == offset)
			return;
	run->is_wrong = true;
}

static uint64_t divide(struct evaluation *run, int64_t a, int64_t b)
{
	if (!b || (b == -1 && a == INT64_MIN)) {
		run->is_wrong = true;
		return 0;
	}
	return (uint64_t)(a / b);
}

static uint64_t shift_right(int64_t a, uint64_t b)
{
	return (uint64_t)(a >> (b < 63 ? b : 63));
}

static uint64_t negate(uint64_t a)
{
	return 0 - a;
}

/* Operations of two values. Returns false: it is none. */
static bool combine(struct evaluation *run, uint8_t atom)
{
	bool is_binary = (atom >= OP_AND && atom <= OP_MUL) ||
			 (atom >= OP_OR && atom <= OP_XOR && atom != OP_PLUS_UCONST) ||
			 (atom >= OP_EQ && atom <= OP_NE);
	if (!is_binary)
		return false;
	uint64_t b = pop(run), a = pop(run);
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (atom) {
	case OP_AND:
		push(run, a & b);
		break;
	case OP_DIV:
		push(run, divide(run, sa, sb));
		break;
	case OP_MINUS:
		push(run, a - b);
		break;
	case OP_MOD:
		push(run, b ? a % b : 0);
		break;
	case OP_MUL:
		push(run, a * b);
		break;
	case OP_OR:
		push(run, a | b);
		break;
	case OP_PLUS:
		push(run, a + b);
		break;
	case OP_SHL:
		push(run, b < 64 ? a << b : 0);
		break;
	case OP_SHR:
		push(run, b < 64 ? a >> b : 0);
		break;
	case OP_SHRA:
		push(run, shift_right(sa, b));
		break;
	case OP_XOR:
		push(run, a ^ b);
		break;
	case OP_EQ:
		push(run, sa == sb);
		break;
	case OP_GE:
		push(run, sa >= sb);
		break;
	case OP_GT:
		push(run, sa > sb);
		break;
	case OP_LE:
		push(run, sa <= sb);
		break;
	case OP_LT:
		push(run, sa < sb);
		break;
	default:
		push(run, sa != sb);
		break;
	}
	return true;
}

/* Operations on the stack itself. Returns false: it is none. */
static bool arrange(struct evaluation *run, const struct cfi_op *op)
{
	uint64_t top, second, third;

	switch (op->atom) {
	case OP_DUP:
		push(run, peek(run, 0));
		return true;
	case OP_DROP:
		pop(run);
		return true;
	case OP_OVER:
		push(run, peek(run, 1));
		return true;
	case OP_PICK:
		push(run, peek(run, op->number));
		return true;
	case OP_SWAP:
		top = pop(run);
		second = pop(run);
		push(run, top);
		push(run, second);
		return true;
	case OP_ROT:
		top = pop(run);
		second = pop(run);
		third = pop(run);
		push(run, top);
		push(run, third);
		push(run, second);
		return true;
	default:
		return false;
	}
}

/* What pushes a constant, or a register. Returns false: it is none. */
static bool load(struct evaluation *run, const struct cfi_op *op)
{
	uint8_t atom = op->atom;

	if (atom >= OP_LIT0 && atom <= OP_LIT31)
		push(run, (uint64_t)(atom - OP_LIT0));
	else if (atom == OP_ADDR || (atom >= OP_CONST1U && atom <= OP_CONSTS))
		push(run, op->number);
	else if (atom >= OP_BREG0 && atom <= OP_BREG31)
		push_register(run, (uint64_t)(atom - OP_BREG0), op->number);
	else if (atom == OP_BREGX)
		push_register(run, op->number, op->number2);
	else if (atom == OP_CALL_FRAME_CFA)
		push(run, run->around->cfa);
	else if (atom >= OP_REG0 && atom <= OP_REG31)
		push_register(run, (uint64_t)(atom - OP_REG0), 0);
	else if (atom == OP_REGX)
		push_register(run, op->number, 0);
	else
		return false;
	/* A location that is a register: what is there is the value. */
	if (atom == OP_REGX || (atom >= OP_REG0 && atom <= OP_REG31))
		run->kind = RESULT_VALUE;
	return true;
}

static void step(struct evaluation *run)
{
	const struct cfi_op *op = &run->ops[run->at++];
	int64_t value;

	if (load(run, op) || combine(run, op->atom) || arrange(run, op))
		return;
	switch (op->atom) {
	case OP_DEREF:
		dereference(run, run->around->machine->word);
		break;
	case OP_DEREF_SIZE:
		dereference(run, op->number);
		break;
	case OP_ABS:
		value = (int64_t)pop(run);
		push(run, value < 0 ? negate((uint64_t)value) : (uint64_t)value);
		break;
	case OP_NEG:
		push(run, negate(pop(run)));
		break;
	case OP_NOT:
		push(run, ~pop(run));
		break;
	case OP_PLUS_UCONST:
		push(run, pop(run) + op->number);
		break;
	case OP_SKIP:
		jump(run, op->offset + op->number + 3);
		break;
	case OP_BRA:
		if (pop(run))
			jump(run, op->offset + op->number + 3);
		break;
	case OP_NOP:
		break;
	case OP_STACK_VALUE:
		run->kind = RESULT_VALUE;
		break;
	default:
		run->is_wrong = true;
	}
}

bool xp_expression_evaluate(const struct surroundings *around, const struct cfi_op *ops, size_t nr,
			    uint64_t *ret_result, enum result_kind *ret_kind)
{
	struct evaluation run = { .around = around, .ops = ops, .nr = nr };

	for (int steps = 0; run.at < nr && !run.is_wrong; steps++) {
		if (steps == STEPS)
			return false;
		step(&run);
	}
	*ret_result = peek(&run, 0);
	if (!around->machine->is_64)
		*ret_result &= UINT32_MAX;
	*ret_kind = run.kind;
	return !run.is_wrong;
}
