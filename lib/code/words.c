/* SPDX-License-Identifier: MIT */
/* What the texts of all machines have in common, and those of Arm. */
#include "words.h"

void xp_words_hex(struct words *words, uint64_t value)
{
	char digits[16];
	size_t nr = 0;

	do {
		digits[sizeof(digits) - ++nr] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	words_add(words, digits + sizeof(digits) - nr, nr);
}

void xp_words_pad(struct words *words, const char *start, size_t width)
{
	while ((size_t)(words->at - start) < width && words->at < words->end)
		*words->at++ = ' ';
}

/* The target is the last operand, without "#0x". */
void xp_words_arm(struct words *words, const struct decoded *decoded)
{
	enum { MNEMONIC = 6 };
	const char *start = words->at, *operands = decoded->operands;
	const char *last = decoded->target ? strrchr(operands, '#') : NULL;

	words_text(words, decoded->mnemonic);
	if (!*operands)
		return;
	xp_words_pad(words, start, MNEMONIC);
	words_text(words, " ");
	if (!last) {
		words_text(words, operands);
		return;
	}
	words_add(words, operands, (size_t)(last - operands));
	xp_words_hex(words, decoded->target);
}
