/* SPDX-License-Identifier: MIT */
/*
 * Stack pointer, frame pointer, and the registers that functions preserve, through one instruction.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; System V ABI,
 * AMD64 supplement, 3.2 and 3.4.1 (the outermost frame has a frame pointer of 0).
 */
#include "code-step.h"

#include <elf.h>
#include <string.h>
#include <xperf/disasm.h>

/* Numbers of registers in instructions. */
enum { SP = 4, BP = 5, NO_BASE = 16 };

/* An instruction in its parts. @rm: the second register, of a memory operand its base; NO_BASE:
 * none alone, or with an index */
struct decoded_step {
	const struct machine *machine;
	uint8_t op, op2; /* @op2: behind 0f */
	uint8_t rex;
	bool has_66, is_memory;
	uint8_t extension, reg, rm;
	int32_t displacement;
	int32_t immediate; /* of 83 and 81 */
};

static int32_t number_at(const uint8_t *at, size_t bytes)
{
	int32_t word = 0;

	if (bytes == 1)
		return (int8_t)*at;
	memcpy(&word, at, sizeof(word));
	return word;
}

/* ModRM, SIB, displacement. Bytes behind the instruction's end are not asked for: its length is
 * known. */
static const uint8_t *read_operands(struct decoded_step *step, const uint8_t *at,
				    const uint8_t *end)
{
	enum { REX_R = 4, REX_X = 2, REX_B = 1 };
	uint8_t modrm = at < end ? *at++ : 0, mode = modrm >> 6, base = modrm & 7;
	bool has_index = false;
	size_t bytes;

	step->extension = modrm >> 3 & 7;
	step->reg = (uint8_t)(step->extension | (step->rex & REX_R ? 8 : 0));
	step->is_memory = mode != 3;
	if (step->is_memory && base == 4 && at < end) {
		has_index = (*at >> 3 & 7) != 4 || step->rex & REX_X;
		base = *at++ & 7;
	}
	step->rm = (uint8_t)(base | (step->rex & REX_B ? 8 : 0));
	bytes = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
	if (has_index || (mode == 0 && base == 5))
		step->rm = NO_BASE;
	if (!step->is_memory || !bytes || (size_t)(end - at) < bytes)
		return at;
	step->displacement = number_at(at, bytes);
	return at + bytes;
}

static bool is_64(const struct decoded_step *step)
{
	return step->machine->elf == EM_X86_64;
}

/* --- registers --- */

/* The place of a register in machine->saved; -1: functions need not preserve it. */
static int place_of(const struct machine *machine, unsigned int reg)
{
	static const uint8_t dwarf_64[] = { 0, 2, 1, 3, 7, 6, 4, 5 };
	unsigned int dwarf = machine->elf == EM_X86_64 && reg < 8 ? dwarf_64[reg] : reg;

	for (size_t i = 1; i < machine->nr_saved; i++)
		if (machine->saved[i] == dwarf)
			return (int)i;
	return -1;
}

/* The register has the caller's value again, or nothing has it. */
static void forget(struct code_frame *frame, unsigned int i)
{
	frame->saved &= (uint16_t) ~(1U << i);
	frame->at[i] = 0;
}

static void lose_sp(struct code_frame *frame)
{
	frame->knows_sp = false;
	frame->sp = 0;
}

/* What is below the stack pointer is no longer there. */
static void move_sp(const struct machine *machine, struct code_frame *frame, int64_t bytes)
{
	enum { FRAME_MAX = 1 << 28 };
	int64_t sp = frame->sp + bytes;

	if (!frame->knows_sp)
		return;
	if (sp < 0 || sp > FRAME_MAX) {
		lose_sp(frame);
		return;
	}
	frame->sp = (int32_t)sp;
	for (unsigned int i = 0; i < machine->nr_saved; i++)
		if (frame->saved >> i & 1 && -frame->at[i] * machine->word > frame->sp)
			forget(frame, i);
}

static void set_pointer(struct code_frame *frame, bool is_known, int64_t fp)
{
	frame->pointer = is_known && fp == (int32_t)fp ? POINTER_FRAME : POINTER_OTHER;
	frame->fp = frame->pointer == POINTER_FRAME ? (int32_t)fp : 0;
}

/* A register gets a value that is not followed. */
static void write_reg(struct code_frame *frame, unsigned int reg)
{
	if (reg == SP)
		lose_sp(frame);
	if (reg == BP)
		set_pointer(frame, false, 0);
}

/* Bytes from an address up to CFA. Returns false: it is not in the frame as far as is known. */
static bool distance(const struct decoded_step *step, const struct code_frame *frame,
		     int64_t *ret_bytes)
{
	if (step->rm == SP && frame->knows_sp)
		*ret_bytes = (int64_t)frame->sp - step->displacement;
	else if (step->rm == BP && frame->pointer == POINTER_FRAME)
		*ret_bytes = (int64_t)frame->fp - step->displacement;
	else
		return false;
	return true;
}

/* The first store of a register that functions preserve is that of the caller's value. Returns
 * false: it is at a place that is not known. */
static bool save(const struct machine *machine, struct code_frame *frame, unsigned int reg,
		 bool knows, int64_t bytes)
{
	int i = place_of(machine, reg);

	if (i < 0 || frame->saved >> i & 1 || (reg == BP && frame->pointer != POINTER_CALLERS))
		return true;
	if (!knows || bytes <= 0 || bytes % machine->word || bytes / machine->word > INT16_MAX)
		return false;
	frame->saved |= (uint16_t)(1U << i);
	frame->at[i] = (int16_t)(-bytes / machine->word);
	return true;
}

static void load(const struct machine *machine, struct code_frame *frame, unsigned int reg,
		 bool knows, int64_t bytes)
{
	int i = place_of(machine, reg);

	write_reg(frame, reg);
	if (i < 0 || !(frame->saved >> i & 1) || !knows || bytes != -frame->at[i] * machine->word)
		return;
	forget(frame, (unsigned int)i);
	if (reg == BP)
		frame->pointer = POINTER_CALLERS;
}

/* --- instructions --- */

static enum code_flow push(const struct decoded_step *step, struct code_frame *frame,
			   unsigned int reg)
{
	move_sp(step->machine, frame, step->machine->word);
	return save(step->machine, frame, reg, frame->knows_sp, frame->sp) ? FLOW_ON : FLOW_UNKNOWN;
}

static enum code_flow pop(const struct decoded_step *step, struct code_frame *frame,
			  unsigned int reg)
{
	int32_t sp = frame->sp;
	bool knows = frame->knows_sp;

	load(step->machine, frame, reg, knows, sp);
	if (reg != SP)
		move_sp(step->machine, frame, -step->machine->word);
	return FLOW_ON;
}

static void copy(struct code_frame *frame, unsigned int to, unsigned int from)
{
	bool is_frame = frame->pointer == POINTER_FRAME;

	if (to == SP && from == BP && is_frame) {
		frame->knows_sp = true;
		frame->sp = frame->fp;
	} else if (to == BP && from == SP) {
		set_pointer(frame, frame->knows_sp, frame->sp);
	} else if (to != from) {
		write_reg(frame, to);
	}
}

/* mov, in both directions. */
static enum code_flow move(const struct decoded_step *step, struct code_frame *frame, bool is_load)
{
	bool is_whole = !is_64(step) || step->rex & 8;
	int64_t bytes = 0;
	bool knows = distance(step, frame, &bytes) && is_whole;

	if (!step->is_memory && is_whole)
		copy(frame, is_load ? step->reg : step->rm, is_load ? step->rm : step->reg);
	else if (!step->is_memory)
		write_reg(frame, is_load ? step->reg : step->rm);
	else if (is_load)
		load(step->machine, frame, step->reg, knows, bytes);
	else if (knows)
		save(step->machine, frame, step->reg, knows, bytes);
	return FLOW_ON;
}

static enum code_flow lea(const struct decoded_step *step, struct code_frame *frame)
{
	int64_t bytes = 0;
	bool knows = distance(step, frame, &bytes) && (!is_64(step) || step->rex & 8);

	if (step->reg == BP) {
		set_pointer(frame, knows, bytes);
	} else if (step->reg == SP) {
		frame->knows_sp = knows || frame->knows_sp;
		if (knows)
			move_sp(step->machine, frame, bytes - frame->sp);
		else
			lose_sp(frame);
	}
	return FLOW_ON;
}

/* add, sub, and ... with a number */
static enum code_flow compute(const struct decoded_step *step, struct code_frame *frame)
{
	enum { ADD = 0, SUB = 5, COMPARE = 7 };

	if (step->is_memory || step->extension == COMPARE)
		return FLOW_ON;
	if (step->rm == SP && (step->extension == ADD || step->extension == SUB) &&
	    (!is_64(step) || step->rex & 8))
		move_sp(step->machine, frame,
			step->extension == SUB ? step->immediate : -(int64_t)step->immediate);
	else
		write_reg(frame, step->rm);
	return FLOW_ON;
}

/* Arithmetic of two registers. A frame pointer that becomes 0 while it has the caller's value is
 * that of the outermost frame. */
static enum code_flow combine(const struct decoded_step *step, struct code_frame *frame)
{
	enum { TO_REG = 2, COMPARE = 7, XOR = 6 };
	unsigned int what = step->op >> 3;

	if (what == COMPARE)
		return FLOW_ON;
	if (what == XOR && !step->is_memory && step->reg == BP && step->rm == BP) {
		int i = place_of(step->machine, BP);

		frame->is_outermost |=
			frame->pointer == POINTER_CALLERS && !(frame->saved >> i & 1);
	}
	if (step->op & TO_REG)
		write_reg(frame, step->reg);
	else if (!step->is_memory)
		write_reg(frame, step->rm);
	return FLOW_ON;
}

static enum code_flow leave(const struct decoded_step *step, struct code_frame *frame)
{
	if (frame->pointer != POINTER_FRAME)
		return FLOW_UNKNOWN;
	copy(frame, SP, BP);
	return pop(step, frame, BP);
}

/* ff: inc, dec, call, jmp, push */
static enum code_flow group(const struct decoded_step *step, struct code_frame *frame)
{
	enum { CALL = 2, JUMP = 4, PUSH = 6 };

	switch (step->extension) {
	case CALL:
		return FLOW_CALL;
	case JUMP:
		return FLOW_TABLE;
	case PUSH:
		return push(step, frame, step->is_memory ? NO_BASE : step->rm);
	case 0:
	case 1:
		if (!step->is_memory)
			write_reg(frame, step->rm);
		return FLOW_ON;
	default:
		return FLOW_UNKNOWN;
	}
}

/* Behind 0f: what writes to a register for numbers. */
static enum code_flow two_bytes(const struct decoded_step *step, struct code_frame *frame)
{
	enum { UD2 = 0x0b, SYSRET = 0x07, BSWAP = 0xc8 };
	uint8_t op = step->op2;

	if (op == UD2)
		return FLOW_END;
	if (op == SYSRET || op == 0x34 || op == 0x35)
		return FLOW_UNKNOWN;
	if ((op & 0xf0) == 0x80)
		return FLOW_BRANCH;
	if ((op & 0xf0) == 0x40 || op == 0xaf || op == 0xb6 || op == 0xb7 ||
	    (op >= 0xb8 && op != 0xba && op <= 0xbf))
		write_reg(frame, step->reg);
	else if ((op & 0xf8) == BSWAP)
		write_reg(frame, (unsigned int)(op & 7) | (step->rex & 1 ? 8 : 0));
	else if (!step->is_memory && (op == 0xb1 || op == 0xc1 || (op & 0xf0) == 0x90))
		write_reg(frame, step->rm);
	return FLOW_ON;
}

static enum code_flow shift_or_set(const struct decoded_step *step, struct code_frame *frame)
{
	enum { TEST = 0xf7 };

	if (!step->is_memory && (step->op != TEST || step->extension > 1))
		write_reg(frame, step->rm);
	return FLOW_ON;
}

static enum code_flow exchange(const struct decoded_step *step, struct code_frame *frame)
{
	write_reg(frame, step->reg);
	if (!step->is_memory)
		write_reg(frame, step->rm);
	return FLOW_ON;
}

static enum code_flow one_byte(const struct decoded_step *step, struct code_frame *frame)
{
	unsigned int reg = (unsigned int)(step->op & 7) | (step->rex & 1 ? 8 : 0);

	if (step->op < 0x40)
		return (step->op & 7) == 1 || (step->op & 7) == 3 ? combine(step, frame) : FLOW_ON;
	switch (step->op) {
	case 0x40 ... 0x4f: /* of 32 bits: inc, dec */
		write_reg(frame, step->op & 7);
		return FLOW_ON;
	case 0x50 ... 0x57:
		return push(step, frame, reg);
	case 0x58 ... 0x5f:
		return pop(step, frame, reg);
	case 0x60 ... 0x61: /* pusha, popa, enter, far calls and jumps, iret */
	case 0x9a:
	case 0xc8:
	case 0xca ... 0xcb:
	case 0xcf:
	case 0xea:
		return FLOW_UNKNOWN;
	case 0x62: /* EVEX, VEX: registers for numbers of a few, which are no frame pointers then */
	case 0xc4 ... 0xc5:
		return FLOW_ON;
	case 0x63:
	case 0x69:
	case 0x6b:
		write_reg(frame, step->reg);
		return FLOW_ON;
	case 0x68:
	case 0x6a:
	case 0x9c: /* pushf */
		return push(step, frame, NO_BASE);
	case 0x9d:
		return pop(step, frame, NO_BASE);
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		return FLOW_BRANCH;
	case 0x81:
	case 0x83:
		return compute(step, frame);
	case 0x86 ... 0x87:
		return exchange(step, frame);
	case 0x89:
		return move(step, frame, false);
	case 0x8b:
		return move(step, frame, true);
	case 0x8d:
		return lea(step, frame);
	case 0x8f:
		return pop(step, frame, step->is_memory ? NO_BASE : step->rm);
	case 0x91 ... 0x97:
	case 0xb8 ... 0xbf:
		write_reg(frame, reg);
		return FLOW_ON;
	case 0xc1:
	case 0xd1:
	case 0xd3:
	case 0xc7:
	case 0xf7:
		return shift_or_set(step, frame);
	case 0xc2 ... 0xc3:
		return FLOW_RETURN;
	case 0xc9:
		return leave(step, frame);
	case 0xcc: /* int3, hlt */
	case 0xf4:
		return FLOW_END;
	case 0xe8:
		return FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return FLOW_JUMP;
	case 0xff:
		return group(step, frame);
	default:
		return FLOW_ON;
	}
}

/* Opcodes whose operands are of interest. */
static bool has_operands(const struct decoded_step *step)
{
	if (step->op == 0x0f)
		return (step->op2 & 0xf0) != 0x80 && (step->op2 & 0xf8) != 0xc8 &&
		       step->op2 != 0x0b && step->op2 != 0x05;
	if (step->op < 0x40)
		return !(step->op & 4);
	switch (step->op) {
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x80 ... 0x8f:
	case 0xc0 ... 0xc1:
	case 0xc6 ... 0xc7:
	case 0xd0 ... 0xd3:
	case 0xf6 ... 0xf7:
	case 0xfe ... 0xff:
		return true;
	default:
		return false;
	}
}

/* A target, from the end of the instruction. */
static int64_t target_of(const struct decoded_step *step, const uint8_t *code, size_t len)
{
	bool is_near = (step->op == 0x0f && (step->op2 & 0xf0) == 0x80) || step->op == 0xe8 ||
		       step->op == 0xe9;

	return (int64_t)len + number_at(code + len - (is_near ? 4 : 1), is_near ? 4 : 1);
}

enum code_flow xp_code_step(const struct machine *machine, const uint8_t *code, size_t len,
			    struct code_frame *frame, size_t *ret_len, int64_t *ret_target)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					    0x66, 0x67, 0xf0, 0xf2, 0xf3 };
	int its = xp_instruction_len(machine->elf, code, len);
	struct decoded_step step = { .machine = machine, .rm = NO_BASE };
	const uint8_t *at = code, *end = code + (its > 0 ? its : 0);

	if (its <= 0)
		return FLOW_UNKNOWN;
	*ret_len = (size_t)its;
	for (; at < end && memchr(prefixes, *at, sizeof(prefixes)); at++)
		step.has_66 |= *at == 0x66;
	if (is_64(&step) && at < end && (*at & 0xf0) == 0x40)
		step.rex = *at++;
	if (at >= end)
		return FLOW_UNKNOWN;
	step.op = *at++;
	if (step.op == 0x0f && at < end)
		step.op2 = *at++;
	if (has_operands(&step))
		at = read_operands(&step, at, end);
	if ((step.op == 0x81 && end - at == 4) || (step.op == 0x83 && end - at == 1))
		step.immediate = number_at(at, (size_t)(end - at));
	enum code_flow flow = step.op == 0x0f ? two_bytes(&step, frame) : one_byte(&step, frame);
	/* A call of the next instruction is how code finds where it is. */
	bool is_near = step.op == 0xe8 && end - at == 4;
	if (is_near && !number_at(at, 4))
		return push(&step, frame, NO_BASE);
	if (step.has_66 && (step.op == 0x68 || (step.op & 0xf0) == 0x50 || step.op == 0xe8))
		return FLOW_UNKNOWN;
	if (flow == FLOW_BRANCH || flow == FLOW_JUMP)
		*ret_target = target_of(&step, code, *ret_len);
	return flow;
}
