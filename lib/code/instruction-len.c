/* SPDX-License-Identifier: MIT */
/*
 * How long an instruction is, and whether it branches. Of x86 that follows from prefixes, opcode
 * and ModRM byte.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapters 2 and
 * appendix A; z/Architecture Principles of Operation, "Instruction Length"; Arm Architecture
 * Reference Manual, "Branches, Exception Generating and System instructions".
 */
#include <string.h>
#include <xperf/disasm.h>

/* What is behind an opcode. */
enum {
	MODRM = 1 << 0,
	IMM8 = 1 << 1,
	IMM16 = 1 << 2,
	IMM_Z = 1 << 3,  /* 2 or 4 bytes, by the operands' size */
	IMM_V = 1 << 4,  /* the same, and 8 with REX.W */
	OFFSET = 1 << 5, /* as long as an address */
	REL_Z = 1 << 6,  /* 4 bytes in 64-bit code, else as IMM_Z */
	TEST = 1 << 7,   /* has the rest only if ModRM names the first or second of its group */
};

/* Opcodes of one range have the same behind them; those in none have nothing. */
struct opcodes {
	uint8_t first, last;
	uint8_t behind;
};

static const struct opcodes one_byte[] = {
	{ 0x62, 0x63, MODRM },
	{ 0x68, 0x68, IMM_Z },
	{ 0x69, 0x69, MODRM | IMM_Z },
	{ 0x6a, 0x6a, IMM8 },
	{ 0x6b, 0x6b, MODRM | IMM8 },
	{ 0x70, 0x7f, IMM8 },
	{ 0x80, 0x80, MODRM | IMM8 },
	{ 0x81, 0x81, MODRM | IMM_Z },
	{ 0x82, 0x83, MODRM | IMM8 },
	{ 0x84, 0x8f, MODRM },
	{ 0x9a, 0x9a, IMM_Z | IMM16 },
	{ 0xa0, 0xa3, OFFSET },
	{ 0xa8, 0xa8, IMM8 },
	{ 0xa9, 0xa9, IMM_Z },
	{ 0xb0, 0xb7, IMM8 },
	{ 0xb8, 0xbf, IMM_V },
	{ 0xc0, 0xc1, MODRM | IMM8 },
	{ 0xc2, 0xc2, IMM16 },
	{ 0xc4, 0xc5, MODRM },
	{ 0xc6, 0xc6, MODRM | IMM8 },
	{ 0xc7, 0xc7, MODRM | IMM_Z },
	{ 0xc8, 0xc8, IMM16 | IMM8 },
	{ 0xca, 0xca, IMM16 },
	{ 0xcd, 0xcd, IMM8 },
	{ 0xd0, 0xd3, MODRM },
	{ 0xd4, 0xd5, IMM8 },
	{ 0xd8, 0xdf, MODRM },
	{ 0xe0, 0xe7, IMM8 },
	{ 0xe8, 0xe9, REL_Z },
	{ 0xea, 0xea, IMM_Z | IMM16 },
	{ 0xeb, 0xeb, IMM8 },
	{ 0xf6, 0xf6, MODRM | TEST | IMM8 },
	{ 0xf7, 0xf7, MODRM | TEST | IMM_Z },
	{ 0xfe, 0xff, MODRM },
};

/* Behind 0f, and of VEX and EVEX: their first map. */
static const struct opcodes two_bytes[] = {
	{ 0x00, 0x04, MODRM },        { 0x0a, 0x0a, MODRM },        { 0x0c, 0x0d, MODRM },
	{ 0x0f, 0x0f, MODRM | IMM8 }, { 0x10, 0x2f, MODRM },        { 0x38, 0x6f, MODRM },
	{ 0x70, 0x73, MODRM | IMM8 }, { 0x74, 0x76, MODRM },        { 0x78, 0x7f, MODRM },
	{ 0x80, 0x8f, REL_Z },        { 0x90, 0x9f, MODRM },        { 0xa3, 0xa3, MODRM },
	{ 0xa4, 0xa4, MODRM | IMM8 }, { 0xa5, 0xa7, MODRM },        { 0xab, 0xab, MODRM },
	{ 0xac, 0xac, MODRM | IMM8 }, { 0xad, 0xb9, MODRM },        { 0xba, 0xba, MODRM | IMM8 },
	{ 0xbb, 0xc1, MODRM },        { 0xc2, 0xc2, MODRM | IMM8 }, { 0xc3, 0xc3, MODRM },
	{ 0xc4, 0xc6, MODRM | IMM8 }, { 0xc7, 0xc7, MODRM },        { 0xd0, 0xff, MODRM },
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static unsigned int behind(const struct opcodes *opcodes, size_t nr, uint8_t opcode)
{
	for (size_t i = 0; i < nr; i++)
		if (opcode >= opcodes[i].first && opcode <= opcodes[i].last)
			return opcodes[i].behind;
	return 0;
}

/* The first rows of arithmetic repeat every 8 opcodes. */
static unsigned int behind_one(uint8_t opcode)
{
	static const uint8_t arithmetic[8] = { MODRM, MODRM, MODRM, MODRM, IMM8, IMM_Z, 0, 0 };

	return opcode < 0x40 ? arithmetic[opcode & 7] : behind(one_byte, LEN(one_byte), opcode);
}

/* Code that is read; after the first byte that is not there all are 0. */
struct code {
	const uint8_t *bytes;
	size_t at, len;
	bool is_64, has_66, has_67, is_wide; /* the last: REX.W */
};

static uint8_t peek(const struct code *code, size_t ahead)
{
	return code->at + ahead < code->len ? code->bytes[code->at + ahead] : 0;
}

static void read_prefixes(struct code *code)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					    0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	while (code->at < code->len && memchr(prefixes, peek(code, 0), sizeof(prefixes))) {
		code->has_66 |= peek(code, 0) == 0x66;
		code->has_67 |= peek(code, 0) == 0x67;
		code->at++;
	}
	if (code->is_64 && (peek(code, 0) & 0xf0) == 0x40)
		code->is_wide = code->bytes[code->at++] & 8;
}

/* Of VEX, EVEX, XOP: the map is in the prefix. @len: its bytes */
static unsigned int read_extended(struct code *code, unsigned int map, size_t len)
{
	static const uint8_t maps[16] = {
		[2] = MODRM, [3] = MODRM | IMM8, [5] = MODRM, [6] = MODRM,
		[7] = MODRM, [8] = MODRM | IMM8, [9] = MODRM, [10] = MODRM | IMM_Z
	};

	code->at += len;
	uint8_t opcode = peek(code, 0);
	code->at++;
	code->has_66 = false; /* it is in the prefix, and of no operand's size */
	return map == 1 ? behind(two_bytes, LEN(two_bytes), opcode) : maps[map & 15];
}

/* The opcode. Returns what is behind it. */
static unsigned int read_opcode(struct code *code)
{
	uint8_t first = peek(code, 0), second = peek(code, 1);
	bool is_register = code->is_64 || second >= 0xc0;

	if (first == 0xc5 && is_register)
		return read_extended(code, 1, 2);
	if (first == 0xc4 && is_register)
		return read_extended(code, second & 0x1f, 3);
	if (first == 0x62 && is_register)
		return read_extended(code, second & 7, 4);
	if (first == 0x8f && (second & 0x1f) >= 8)
		return read_extended(code, second & 0x1f, 3);
	code->at++;
	if (first != 0x0f)
		return behind_one(first);
	code->at++;
	if (second != 0x38 && second != 0x3a)
		return behind(two_bytes, LEN(two_bytes), second);
	code->at++;
	return second == 0x38 ? MODRM : MODRM | IMM8;
}

/* ModRM, SIB and displacement. */
static void read_modrm(struct code *code)
{
	uint8_t modrm = peek(code, 0), mode = modrm >> 6, base = modrm & 7;
	bool is_short = !code->is_64 && code->has_67;

	code->at++;
	if (mode == 3)
		return;
	if (is_short) {
		code->at += mode == 1 ? 1 : mode == 2 || base == 6 ? 2 : 0;
		return;
	}
	if (base == 4) {
		base = peek(code, 0) & 7;
		code->at++;
	}
	code->at += mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0;
}

static int x86_len(const uint8_t *bytes, size_t len, bool is_64)
{
	enum { LONGEST = 15 };
	struct code code = { .bytes = bytes, .len = len, .is_64 = is_64 };

	read_prefixes(&code);
	unsigned int rest = read_opcode(&code);
	size_t size = code.has_66 && !code.is_wide ? 2 : 4;
	if (rest & TEST && (peek(&code, 0) >> 3 & 7) > 1)
		rest = MODRM;
	if (rest & MODRM)
		read_modrm(&code);
	if (rest & IMM8)
		code.at += 1;
	if (rest & IMM16)
		code.at += 2;
	if (rest & IMM_Z)
		code.at += size;
	if (rest & IMM_V)
		code.at += code.is_wide ? 8 : size;
	if (rest & REL_Z)
		code.at += is_64 ? 4 : size;
	if (rest & OFFSET)
		code.at += (is_64 ? 8U : 4U) >> code.has_67;
	return code.at <= len && code.at <= LONGEST ? (int)code.at : 0;
}

/* --- branches --- */

/* Opcodes that branch. @groups: of those that ModRM says more of, a bit each */
struct branches {
	uint8_t first, last;
	uint8_t groups;
};

static const struct branches one_byte_branches[] = {
	{ 0x70, 0x7f, 0 }, { 0x9a, 0x9a, 0 }, { 0xc2, 0xc3, 0 },    { 0xca, 0xcf, 0 },
	{ 0xe0, 0xe3, 0 }, { 0xe8, 0xeb, 0 }, { 0xff, 0xff, 0x3c },
};
static const struct branches two_byte_branches[] = {
	{ 0x05, 0x05, 0 }, { 0x07, 0x07, 0 }, { 0x34, 0x35, 0 }, { 0x80, 0x8f, 0 }
};

static bool is_in(const struct branches *branches, size_t nr, uint8_t opcode, uint8_t modrm)
{
	for (size_t i = 0; i < nr; i++)
		if (opcode >= branches[i].first && opcode <= branches[i].last)
			return !branches[i].groups || branches[i].groups >> (modrm >> 3 & 7) & 1;
	return false;
}

static bool x86_branches(const uint8_t *bytes, size_t len, bool is_64)
{
	struct code code = { .bytes = bytes, .len = len, .is_64 = is_64 };

	read_prefixes(&code);
	uint8_t first = peek(&code, 0), second = peek(&code, 1);
	if (first == 0x0f)
		return is_in(two_byte_branches, LEN(two_byte_branches), second, peek(&code, 2));
	return is_in(one_byte_branches, LEN(one_byte_branches), first, second);
}

/* Bits 28 to 26 are 101; of bits 31 to 29 those of system instructions are no branches. */
static bool aarch64_branches(const uint8_t *bytes, size_t len)
{
	uint32_t word = 0;

	for (size_t i = 0; i < 4 && len >= 4; i++)
		word |= (uint32_t)bytes[i] << 8 * i;
	return (word >> 26 & 7) == 5 && word >> 22 != 0xd5000000 >> 22;
}

/* --- machines --- */

enum { I386 = 3, S390 = 22, X86_64 = 62, AARCH64 = 183 }; /* elf.h */

int xp_instruction_is_branch(int machine, const void *bytes, size_t len)
{
	if (machine == AARCH64)
		return aarch64_branches(bytes, len);
	if (machine != I386 && machine != X86_64)
		return 0;
	return x86_branches(bytes, len, machine == X86_64);
}

int xp_instruction_len(int machine, const void *bytes, size_t len)
{
	static const uint8_t s390[4] = { 2, 4, 4, 6 };
	const uint8_t *code = bytes;
	size_t its = 0;

	if (!len)
		return 0;
	if (machine == I386 || machine == X86_64)
		return x86_len(code, len, machine == X86_64);
	if (machine == AARCH64)
		its = 4;
	if (machine == S390)
		its = s390[code[0] >> 6];
	return its <= len ? (int)its : 0;
}
