/* SPDX-License-Identifier: MIT */
/*
 * x86: capstone writes numbers below 10 in decimal, a size after every mnemonic of AT&T's, and
 * spaces; objdump writes hexadecimal numbers, sizes where no register says them, and no spaces.
 *
 * Source: objdump 2.40 and capstone 4.0.2, measured on the code of libraries.
 */
#include <ctype.h>
#include <stdlib.h>

#include "cleanup.h"
#include "words.h"

enum { MNEMONIC = 6 }; /* the width objdump gives it */

/* --- parts of both syntaxes --- */

static bool is_number(const char *text)
{
	return isdigit((unsigned char)text[*text == '-']);
}

/* Reads a number of either base. Returns the text behind it. */
static const char *read_number(const char *text, uint64_t *ret_value)
{
	char *end;

	*ret_value = strtoull(text + (*text == '-'), &end, 0);
	if (*text == '-')
		*ret_value = -*ret_value;
	return end;
}

static void put_number(struct words *words, uint64_t value)
{
	words_text(words, "0x");
	xp_words_hex(words, value);
}

/* A distance, which is negative as often as not. */
static void put_distance(struct words *words, uint64_t value)
{
	if ((int64_t)value < 0) {
		words_text(words, "-");
		value = -value;
	}
	put_number(words, value);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where a mnemonic begins, after its prefixes. */
static const char *word_of(const char *mnemonic)
{
	const char *space = strrchr(mnemonic, ' ');

	return space ? space + 1 : mnemonic;
}

/* Prefixes that capstone does not write, by the instructions they are written of. */
static const struct {
	uint8_t byte;
	enum xp_instruction_kind kind;
	bool indirect;
	const char *text;
} prefixes[] = {
	{ 0x3e, XP_INSTRUCTION_JUMP, true, "notrack " },
	{ 0x3e, XP_INSTRUCTION_CALL, true, "notrack " },
	{ 0xf3, XP_INSTRUCTION_RETURN, false, "repz " },
};

static void put_prefix(struct words *words, const struct decoded *decoded)
{
	bool indirect = *decoded->operands && !is_number(decoded->operands);

	for (size_t i = 0; i < XP_ARRAY_LEN(prefixes); i++)
		if (prefixes[i].byte == decoded->bytes[0] && prefixes[i].kind == decoded->kind &&
		    prefixes[i].indirect == indirect)
			words_text(words, prefixes[i].text);
}

/*
 * What fills code up: "data16 cs nopw 0x0(%rax,%rax,1)".
 * Returns false: it is none with memory and a segment.
 */
static bool put_filling(struct words *words, const struct decoded *decoded)
{
	bool has_segment = strstr(decoded->operands, "cs:");

	if (strcmp(decoded->name, "nop") != 0 || !*decoded->operands)
		return false;
	for (uint32_t at = 1; at < decoded->len && decoded->bytes[at] == 0x66; at++)
		words_text(words, "data16 ");
	if (has_segment)
		words_text(words, "cs ");
	return has_segment;
}

/* 66 90 is an exchange that does nothing. Returns true if it was one. */
static bool put_exchange(struct words *words, const struct decoded *decoded, const char *text)
{
	bool is_one = decoded->len == 2 && decoded->bytes[0] == 0x66 && decoded->bytes[1] == 0x90;

	if (is_one)
		words_text(words, text);
	return is_one;
}

/* Whether the only operand is an address that a jump or call goes to. */
static bool is_target(const struct decoded *decoded)
{
	return decoded->kind != XP_INSTRUCTION_OTHER && is_number(decoded->operands);
}

/* What comes between a mnemonic and its operands, and a target. Returns whether operands are left.
 */
static bool put_gap(struct words *words, const char *start, const struct decoded *decoded,
		    const char *operands)
{
	if (!*operands)
		return false;
	xp_words_pad(words, start, MNEMONIC);
	words_text(words, " ");
	if (is_target(decoded))
		xp_words_hex(words, decoded->target);
	return !is_target(decoded);
}

/* --- AT&T --- */

/* Its size if it is the name and a letter for one; '\0': it has none. */
static char suffix_of(const struct decoded *decoded, const char *word)
{
	size_t len = strlen(decoded->name);

	return !strncmp(word, decoded->name, len) && word[len] && strchr("bwlq", word[len]) &&
			       !word[len + 1]
		       ? word[len]
		       : '\0';
}

/* Registers whose size says nothing of the operation. */
static bool is_general(const char *name)
{
	static const char *const special[] = { "xmm", "ymm", "zmm", "mm", "st", "k" };

	for (size_t i = 0; i < XP_ARRAY_LEN(special); i++) {
		size_t len = strlen(special[i]);

		if (!strncmp(name, special[i], len) && !isalpha((unsigned char)name[len]))
			return false;
	}
	return true;
}

static const char *after_name(const char *text)
{
	while (is_name(*text))
		text++;
	return text;
}

/* Whether a register says how large the operands are. A count of shifts does not. */
static bool has_sizing_register(const struct decoded *decoded)
{
	const char *at = decoded->operands;

	if (!strncmp(at, "%cl, ", 5) && strchr("sr", decoded->name[0]))
		at += 5;
	for (int depth = 0; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (*at == '%' && !depth && is_general(at + 1) && *after_name(at + 1) != ':')
			return true;
	}
	return false;
}

/* Memory that is pushed, popped or jumped to is of one size. */
static bool is_of_one_size(const struct decoded *decoded)
{
	return decoded->kind != XP_INSTRUCTION_OTHER || !strcmp(decoded->name, "push") ||
	       !strcmp(decoded->name, "pop");
}

static bool needs_suffix(const struct decoded *decoded)
{
	bool is_memory = strchr(decoded->operands, '(') || strchr(decoded->operands, ':') ||
			 is_number(decoded->operands);

	return is_memory && !has_sizing_register(decoded) && !is_of_one_size(decoded);
}

/* Moves of 8 bytes between registers of two kinds are not called by 4. */
static bool is_movq(const struct decoded *decoded, const char *word)
{
	const char *at = decoded->operands;

	if (strcmp(word, "movd") != 0 && strcmp(word, "vmovd") != 0)
		return false;
	for (int depth = 0; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && !strncmp(at, "%r", 2) && at[strcspn(at, ",") - 1] != 'd')
			return true;
	}
	return false;
}

enum { STRING_NAME = 4 };

/* "movsq (%rsi), (%rdi)": names of four letters and one for the size. */
static bool is_string(const struct decoded *decoded)
{
	static const char *const names[] = { "movs", "cmps", "stos", "scas", "lods" };

	for (size_t i = 0; i < XP_ARRAY_LEN(names); i++)
		if (!strncmp(decoded->name, names[i], STRING_NAME) &&
		    strlen(decoded->name) == STRING_NAME + 1 &&
		    strchr("bwdlq", decoded->name[STRING_NAME]))
			return !strstr(decoded->operands, "xmm");
	return false;
}

static void att_mnemonic(struct words *words, const struct decoded *decoded)
{
	const char *word = word_of(decoded->mnemonic);
	bool is_short = suffix_of(decoded, word) && !needs_suffix(decoded);

	words_add(words, decoded->mnemonic, (size_t)(word - decoded->mnemonic));
	if (is_movq(decoded, word))
		words_text(words, *word == 'v' ? "vmovq" : "movq");
	else if (is_string(decoded) && has_sizing_register(decoded))
		words_add(words, word, STRING_NAME);
	else
		words_text(words, is_short ? decoded->name : word);
}

/* An immediate operand: as many bits as the operation has. */
static const char *att_immediate(struct words *words, const struct decoded *decoded,
				 const char *text)
{
	uint64_t value;
	const char *end = read_number(text, &value);

	switch (suffix_of(decoded, word_of(decoded->mnemonic))) {
	case 'b':
		value &= UINT8_MAX;
		break;
	case 'w':
		value &= UINT16_MAX;
		break;
	case 'l':
		value &= UINT32_MAX;
		break;
	default:
		break;
	}
	words_text(words, "$");
	put_number(words, value);
	return end;
}

/* "%rax", "%st(1)" */
static const char *att_register(struct words *words, const char *text)
{
	const char *end = after_name(text + 1);

	if (!strncmp(text, "%st(", 4))
		end = text + strcspn(text, ")") + 1;
	words_add(words, text, (size_t)(end - text));
	return end;
}

/* "(%rax, %rbx, 8)"; a factor of 1 is written. */
static const char *att_memory(struct words *words, const char *text, bool is_string)
{
	int nr_commas = 0;

	if (is_string)
		words_text(words, text[3] == 'd' ? "%es:" : "%ds:");
	for (; *text && *text != ')'; text++) {
		nr_commas += *text == ',';
		if (*text != ' ')
			words_add(words, text, 1);
	}
	words_text(words, nr_commas == 1 ? ",1)" : ")");
	return text + (*text == ')');
}

static const char *att_number(struct words *words, const char *text)
{
	uint64_t value;
	const char *end = read_number(text, &value);

	if (*end == '(')
		put_distance(words, value);
	else
		put_number(words, value);
	return end;
}

static void att_operands(struct words *words, const struct decoded *decoded, const char *operands)
{
	bool has_distance = false, in_string = is_string(decoded);

	for (const char *at = operands; *at;) {
		if (*at == '$' && is_number(at + 1)) {
			at = att_immediate(words, decoded, at + 1);
		} else if (*at == '%') {
			at = att_register(words, at);
		} else if (*at == '(') {
			if (decoded->has_zero && !has_distance)
				words_text(words, "0x0");
			at = att_memory(words, at, in_string);
		} else if (is_number(at)) {
			at = att_number(words, at);
			has_distance = true;
		} else {
			words_add(words, at, *at != ' ');
			at++;
		}
	}
}

void xp_words_att(struct words *words, const struct decoded *decoded)
{
	const char *start = words->at, *operands = decoded->operands;

	if (put_exchange(words, decoded, "xchg   %ax,%ax"))
		return;
	put_prefix(words, decoded);
	if (put_filling(words, decoded))
		operands += strlen("%cs:");
	/* Moved or turned by one: no number is there. */
	if (!decoded->has_immediate && !strncmp(operands, "$1, ", 4))
		operands += 4;
	att_mnemonic(words, decoded);
	if (put_gap(words, start, decoded, operands))
		att_operands(words, decoded, operands);
}

/* --- Intel --- */

/* Sizes of memory are in capitals; of ten bytes they are called otherwise. */
static const char *intel_size(struct words *words, const char *text)
{
	const char *end = strstr(text, " ptr");
	size_t len = end ? (size_t)(end - text) : 0;

	if (!end || after_name(text) != end)
		return NULL;
	if (!strncmp(text, "xword", len))
		words_text(words, "TBYTE");
	else
		for (; text < end; text++)
			words_add(words, &(char){ (char)toupper((unsigned char)*text) }, 1);
	words_text(words, " PTR ");
	return end + strlen(" ptr ");
}

/* A register in brackets that is the second of a sum has a factor of 1. */
static const char *intel_name(struct words *words, const char *text, int nr_names)
{
	const char *end = after_name(text);

	words_add(words, text, (size_t)(end - text));
	if (nr_names == 1 && strncmp(end, "*", 1) != 0)
		words_text(words, "*1");
	return end;
}

static const char *intel_memory(struct words *words, const struct decoded *decoded,
				const char *text)
{
	bool has_number = false, is_bare = is_number(text + 1);
	int nr_names = 0;
	uint64_t value;

	words_text(words, is_bare ? "" : "[");
	for (text++; *text && *text != ']';) {
		if (is_number(text)) {
			bool is_factor = words->at[-1] == '*';

			text = read_number(text, &value);
			has_number |= !is_factor;
			if (is_factor)
				xp_words_hex(words, value);
			else
				put_number(words, value);
		} else if (is_name(*text)) {
			text = intel_name(words, text, nr_names++);
		} else {
			words_add(words, text, *text != ' ');
			text++;
		}
	}
	if (decoded->has_zero && !has_number)
		words_text(words, "+0x0");
	words_text(words, is_bare ? "" : "]");
	return text + (*text == ']');
}

/* As many bits as the first operand has. */
static const char *intel_immediate(struct words *words, const struct decoded *decoded,
				   const char *text)
{
	uint64_t value;
	const char *end = read_number(text, &value);

	if (decoded->operand_bytes && decoded->operand_bytes < sizeof(value))
		value &= (UINT64_C(1) << 8 * decoded->operand_bytes) - 1;
	if (decoded->has_immediate)
		words_text(words, "0x");
	xp_words_hex(words, value);
	return end;
}

/* "rax", "st(1)" */
static const char *intel_register(struct words *words, const char *text)
{
	const char *end = after_name(text);

	if (!strncmp(text, "st(", 3))
		end = text + strcspn(text, ")") + 1;
	words_add(words, text, (size_t)(end - text));
	return end;
}

/* @no_segment: it was written before */
static void intel_operands(struct words *words, const struct decoded *decoded, bool no_segment)
{
	for (const char *at = decoded->operands; *at;) {
		const char *after = is_name(*at) ? intel_size(words, at) : NULL;

		if (after) {
			at = after;
		} else if (no_segment && !strncmp(at, "cs:", 3)) {
			at += 3;
		} else if (*at == '[') {
			at = intel_memory(words, decoded, at);
		} else if (is_number(at)) {
			at = intel_immediate(words, decoded, at);
		} else if (is_name(*at)) {
			at = intel_register(words, at);
		} else {
			words_add(words, at, *at != ' ');
			at++;
		}
	}
}

void xp_words_intel(struct words *words, const struct decoded *decoded)
{
	const char *start = words->at;

	if (put_exchange(words, decoded, "xchg   ax,ax"))
		return;
	put_prefix(words, decoded);
	bool is_filling = put_filling(words, decoded);
	words_text(words, decoded->mnemonic);
	if (put_gap(words, start, decoded, decoded->operands))
		intel_operands(words, decoded, is_filling);
}
