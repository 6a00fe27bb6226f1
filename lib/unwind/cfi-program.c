/* SPDX-License-Identifier: MIT */
/*
 * Instructions of call frame information, looked at before libdw executes them. It has a table with
 * a place for each register up to the highest one that is named, copies it for each state that is
 * remembered, and makes lists of expressions: 20 bytes of a file can ask for 2 GiB (libdw 0.188).
 *
 * Source: DWARF 5, 6.4.2 and 7.24; Linux Standard Base 5.0, 10.5.2 "DWARF CFI Extensions"; DWARF
 * for the Arm 64-bit Architecture, 5.1.
 */
#include "cfi-program.h"

/* Registers of x86-64 and arm64 are below 200, and compilers remember one state at a time. */
enum { MAX_REGISTER = 255, MAX_STATES = 64, MAX_BLOCK = 4096 };
enum { LEB128_BYTES = 9, PRIMARY = 0xc0, ADVANCE = 0x40, NR_EXTENDED = 0x40 };

enum operand {
	NOTHING,
	NUMBER, /* LEB128, with or without a sign */
	REGISTER,
	BLOCK, /* an expression after its length */
	ADDRESS,
	BYTES_1,
	BYTES_2,
	BYTES_4,
	BYTES_8,
	REMEMBER,
	RESTORE,
};

struct instruction {
	bool is_known;
	enum operand operands[2];
};

/* With a register in its first byte. */
static const struct instruction offset = { true, { NUMBER } };

static const struct instruction instructions[NR_EXTENDED] = {
	[0x00] = { true, { NOTHING } },          /* nop */
	[0x01] = { true, { ADDRESS } },          /* set_loc */
	[0x02] = { true, { BYTES_1 } },          /* advance_loc1 */
	[0x03] = { true, { BYTES_2 } },          /* advance_loc2 */
	[0x04] = { true, { BYTES_4 } },          /* advance_loc4 */
	[0x05] = { true, { REGISTER, NUMBER } }, /* offset_extended */
	[0x06] = { true, { REGISTER } },         /* restore_extended */
	[0x07] = { true, { REGISTER } },         /* undefined */
	[0x08] = { true, { REGISTER } },         /* same_value */
	[0x09] = { true, { REGISTER, NUMBER } }, /* register */
	[0x0a] = { true, { REMEMBER } },         /* remember_state */
	[0x0b] = { true, { RESTORE } },          /* restore_state */
	[0x0c] = { true, { NUMBER, NUMBER } },   /* def_cfa */
	[0x0d] = { true, { NUMBER } },           /* def_cfa_register */
	[0x0e] = { true, { NUMBER } },           /* def_cfa_offset */
	[0x0f] = { true, { BLOCK } },            /* def_cfa_expression */
	[0x10] = { true, { REGISTER, BLOCK } },  /* expression */
	[0x11] = { true, { REGISTER, NUMBER } }, /* offset_extended_sf */
	[0x12] = { true, { NUMBER, NUMBER } },   /* def_cfa_sf */
	[0x13] = { true, { NUMBER } },           /* def_cfa_offset_sf */
	[0x14] = { true, { REGISTER, NUMBER } }, /* val_offset */
	[0x15] = { true, { REGISTER, NUMBER } }, /* val_offset_sf */
	[0x16] = { true, { REGISTER, BLOCK } },  /* val_expression */
	[0x1d] = { true, { BYTES_8 } },          /* MIPS_advance_loc8 */
	[0x2c] = { true, { NOTHING } },          /* AARCH64_negate_ra_state_with_pc */
	[0x2d] = { true, { NOTHING } },          /* GNU_window_save, AARCH64_negate_ra_state */
	[0x2e] = { true, { NUMBER } },           /* GNU_args_size */
	[0x2f] = { true, { REGISTER, NUMBER } }, /* GNU_negative_offset_extended */
};

/* What was looked at so far. */
struct program {
	const uint8_t *at, *end;
	size_t address_bytes, nr_states;
};

size_t xp_cfi_leb128(const uint8_t *at, const uint8_t *end, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (at < end && *at < 0x80) {
		*ret_value = *at;
		return 1;
	}
	for (size_t i = 0; i < LEB128_BYTES && at + i < end; i++) {
		value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (at[i] & 0x80)
			continue;
		*ret_value = value;
		return i + 1;
	}
	return 0;
}

static bool skip(struct program *program, uint64_t bytes)
{
	if (bytes > (uint64_t)(program->end - program->at))
		return false;
	program->at += bytes;
	return true;
}

static bool number(struct program *program, uint64_t *ret_value)
{
	size_t bytes = xp_cfi_leb128(program->at, program->end, ret_value);

	return bytes && skip(program, bytes);
}

static bool operand(struct program *program, enum operand kind)
{
	uint64_t value;

	switch (kind) {
	case NUMBER:
		return number(program, &value);
	case REGISTER:
		return number(program, &value) && value <= MAX_REGISTER;
	case BLOCK:
		return number(program, &value) && value <= MAX_BLOCK && skip(program, value);
	case ADDRESS:
		return skip(program, program->address_bytes);
	case BYTES_1:
	case BYTES_2:
	case BYTES_4:
	case BYTES_8:
		return skip(program, UINT64_C(1) << (kind - BYTES_1));
	case REMEMBER:
		return ++program->nr_states <= MAX_STATES;
	case RESTORE:
		program->nr_states -= program->nr_states > 0;
		return true;
	case NOTHING:
		break;
	}
	return true;
}

bool xp_cfi_program_ok(const uint8_t *at, const uint8_t *end, size_t address_bytes)
{
	struct program program = { at, end, address_bytes, 0 };

	while (program.at < end) {
		uint8_t first = *program.at++;

		/* What is most frequent: nop, advance_loc, restore. */
		if (!first || first & ADVANCE)
			continue;
		const struct instruction *instruction =
			first & PRIMARY ? &offset : &instructions[first];

		if (!instruction->is_known || !operand(&program, instruction->operands[0]) ||
		    !operand(&program, instruction->operands[1]))
			return false;
	}
	return true;
}
