/* SPDX-License-Identifier: MIT */
/*
 * What instructions at the edges of a function do to the stack pointer, and where they store and
 * load the registers that functions preserve. Code without branches does what it says, whatever its
 * description says.
 *
 * Source: Arm Architecture Reference Manual, C4.1 (groups of instructions) and C6.2.
 */
#include "edges.h"

#include <elf.h>

enum { FP = 29, LR = 30, SP = 31, ADD = 0x91000000, NO_WRITE = 0, PRE, POST };
#define SUB 0xd1000000

/* Loads and stores relative to the stack pointer: how many registers, their bytes, and the place of
 * the number. @is_simd: of registers that are not followed */
static const struct transfer {
	uint32_t mask, value;
	uint8_t nr, bytes, shift, bits, write;
	bool is_load, is_simd;
} transfers[] = {
	{ 0xffc003e0, 0xa9000000 | SP << 5, 2, 8, 15, 7, NO_WRITE, false, false }, /* stp */
	{ 0xffc003e0, 0xa9800000 | SP << 5, 2, 8, 15, 7, PRE, false, false },
	{ 0xffc003e0, 0xa9400000 | SP << 5, 2, 8, 15, 7, NO_WRITE, true, false }, /* ldp */
	{ 0xffc003e0, 0xa8c00000 | SP << 5, 2, 8, 15, 7, POST, true, false },
	{ 0xffe00fe0, 0xf8000c00 | SP << 5, 1, 1, 12, 9, PRE, false, false }, /* str */
	{ 0xffc003e0, 0xf9000000 | SP << 5, 1, 8, 10, 0, NO_WRITE, false, false },
	{ 0xffe00fe0, 0xf8400400 | SP << 5, 1, 1, 12, 9, POST, true, false }, /* ldr */
	{ 0xffc003e0, 0xf9400000 | SP << 5, 1, 8, 10, 0, NO_WRITE, true, false },
	{ 0xffc003e0, 0x6d000000 | SP << 5, 2, 8, 15, 7, NO_WRITE, false, true }, /* stp d */
	{ 0xffc003e0, 0x6d800000 | SP << 5, 2, 8, 15, 7, PRE, false, true },
	{ 0xffc003e0, 0x6d400000 | SP << 5, 2, 8, 15, 7, NO_WRITE, true, true }, /* ldp d */
	{ 0xffc003e0, 0x6cc00000 | SP << 5, 2, 8, 15, 7, POST, true, true },
};

/* @moved: the stack pointer, from where it was; @at: bytes from there, of machine->saved */
struct edge {
	const struct machine *machine;
	bool is_end;
	int32_t moved;
	uint16_t saved;
	int32_t at[MACHINE_SAVED];
};

static int32_t number_of(const struct transfer *t, uint32_t code)
{
	enum { UNSIGNED_BITS = 12 };
	int bits = t->bits ? t->bits : UNSIGNED_BITS;
	int32_t number = (int32_t)(code >> t->shift & ((1U << bits) - 1));

	if (t->bits && number >> (bits - 1))
		number -= 1 << bits;
	return number * t->bytes;
}

/* Of stores, the first is that of the caller's value, of loads the last. */
static void note(struct edge *edge, uint32_t reg, int32_t at)
{
	for (size_t i = 0; i < edge->machine->nr_saved; i++)
		if (edge->machine->saved[i] == reg && (edge->is_end || !(edge->saved >> i & 1))) {
			edge->saved |= (uint16_t)(1U << i);
			edge->at[i] = at;
		}
}

static bool is_preserved(uint32_t reg)
{
	enum { FIRST = 19, LAST = 30 };

	return reg >= FIRST && reg <= LAST;
}

static bool follow_transfer(struct edge *edge, const struct transfer *t, uint32_t code)
{
	const uint32_t first = code & 31, second = t->nr == 2 ? code >> 10 & 31 : SP;
	const int32_t number = number_of(t, code);
	const int32_t at = edge->moved + (t->write == POST ? 0 : number);

	if (t->write)
		edge->moved += number;
	if (t->is_simd)
		return true;
	/* What sets up a frame loads none of them, and what takes it down stores none. */
	if (t->is_load != edge->is_end)
		return !is_preserved(first) && !is_preserved(second);
	note(edge, first, at);
	note(edge, second, at + edge->machine->word);
	return true;
}

/* Arithmetic with a number. Others write to the stack pointer only for frames that the frame
 * pointer leads to. */
static bool follow_number(struct edge *edge, uint32_t code)
{
	const uint32_t to = code & 31, from = code >> 5 & 31, operation = code & 0xff800000;
	const int32_t number = (int32_t)(code >> 10 & 0xfff) << (code >> 22 & 1 ? 12 : 0);

	if (to != SP)
		return to != LR && (to != FP || !edge->is_end);
	if (from != SP || (operation != ADD && operation != SUB))
		return false;
	edge->moved += operation == SUB ? -number : number;
	return true;
}

/* Loads and stores of other registers, or of the others' widths. */
static bool is_other_transfer(uint32_t code)
{
	const uint32_t first = code & 31, second = code >> 10 & 31, base = code >> 5 & 31;
	const bool is_single = (code & 0x3b000000) == 0x39000000;
	const bool is_pair = (code & 0x3b800000) == 0x29000000;

	if (base == SP)
		return is_single || is_pair;
	return first < FP && (is_single || second < FP);
}

/* Returns false: what it does to the stack pointer or the return address is not known. */
static bool follow(struct edge *edge, uint32_t code)
{
	const uint32_t to = code & 31;

	for (size_t i = 0; i < sizeof(transfers) / sizeof(transfers[0]); i++)
		if ((code & transfers[i].mask) == transfers[i].value)
			return follow_transfer(edge, &transfers[i], code);
	switch (code >> 25 & 15) {
	case 8:
	case 9:
		return follow_number(edge, code);
	case 10:
	case 11: /* of branches and the system: nop, bti, paciasp, autiasp */
		return (code & 0xfffff01f) == 0xd503201f;
	case 5:
	case 13: /* with registers; a sum with an extended one can be the stack pointer */
		return to < FP || (to == SP && (code & 0x1f200000) != 0x0b200000);
	case 7:
	case 15: /* of vectors and floating-point numbers */
		return to < FP;
	case 4:
	case 6:
	case 12:
	case 14:
		return is_other_transfer(code);
	default:
		return false;
	}
}

static bool is_return(uint32_t code)
{
	enum { WITHOUT_KEY = 0xfffffbff };

	return code == 0xd65f03c0 || (code & WITHOUT_KEY) == 0xd65f0bff; /* ret, retaa, retab */
}

/* @cfa: where the stack pointer was, or will be, from where it is */
static bool edge_rule(const struct edge *edge, int32_t now, int32_t cfa, struct rule *rule)
{
	const int32_t word = edge->machine->word;
	struct rule new = { .kind = RULE_FRAME,
			    .cfa_reg = edge->machine->sp,
			    .cfa_offset = cfa - now,
			    .saved = edge->saved };

	if (cfa < now || (cfa - now) % (2 * word))
		return false;
	for (size_t i = 0; i < edge->machine->nr_saved; i++) {
		if (!(edge->saved >> i & 1))
			continue;
		if (edge->at[i] % word || edge->at[i] < now || edge->at[i] >= cfa)
			return false;
		new.at[i] = (int16_t)((edge->at[i] - cfa) / word);
	}
	*rule = new;
	return true;
}

bool xp_edge_begin(const struct machine *machine, const uint32_t *code, size_t nr,
		   struct rule *rule)
{
	struct edge edge = { .machine = machine };

	if (machine->elf != EM_AARCH64)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!follow(&edge, code[i]))
			return false;
	return edge.moved && edge_rule(&edge, edge.moved, 0, rule);
}

static bool is_jump(uint32_t code)
{
	enum { ANY_REG = 0xfffffc1f };

	return code >> 26 == 5 || (code & ANY_REG) == 0xd61f0000; /* b, br */
}

/* Whether @code ends in instructions that have loaded the return address. */
static bool has_loaded_back(const struct machine *machine, const uint32_t *code, size_t nr)
{
	struct edge edge = { .machine = machine, .is_end = true };

	while (nr && !(edge.saved & 1) && follow(&edge, code[nr - 1]))
		nr--;
	return edge.saved & 1;
}

bool xp_edge_jump(const struct machine *machine, const uint32_t *code, size_t nr_before, size_t nr,
		  struct rule *rule)
{
	struct edge edge = { .machine = machine, .is_end = true };

	if (machine->elf != EM_AARCH64 || !(rule->saved & 1) ||
	    !has_loaded_back(machine, code, nr_before))
		return false;
	for (size_t i = nr_before; i < nr; i++) {
		if (is_jump(code[i]))
			return edge_rule(&edge, 0, edge.moved, rule);
		if (!follow(&edge, code[i]))
			return false;
	}
	return false;
}

bool xp_edge_end(const struct machine *machine, const uint32_t *code, size_t nr, struct rule *rule)
{
	struct edge edge = { .machine = machine, .is_end = true };

	if (machine->elf != EM_AARCH64)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (is_return(code[i]))
			return edge_rule(&edge, 0, edge.moved, rule);
		if (!follow(&edge, code[i]))
			return false;
	}
	return false;
}
