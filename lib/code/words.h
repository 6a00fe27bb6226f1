/* SPDX-License-Identifier: MIT */
/* The text of an instruction, as objdump(1) writes it. */
#ifndef CODE_WORDS_H
#define CODE_WORDS_H

#include <string.h>

#include "decoder.h"

/* Room for a text; what does not fit is cut. */
struct words {
	char *at, *end; /* @end: one byte is left for the NUL */
};

static inline void words_add(struct words *words, const char *bytes, size_t len)
{
	size_t room = (size_t)(words->end - words->at);
	size_t some = len < room ? len : room;

	memcpy(words->at, bytes, some);
	words->at += some;
}

static inline void words_text(struct words *words, const char *text)
{
	words_add(words, text, strlen(text));
}

/* Without "0x". */
void xp_words_hex(struct words *words, uint64_t value);
/* Spaces up to a width after @start. */
void xp_words_pad(struct words *words, const char *start, size_t width);

/* Of x86, in the syntax of AT&T and in Intel's (words-x86.c). */
void xp_words_att(struct words *words, const struct decoded *decoded);
void xp_words_intel(struct words *words, const struct decoded *decoded);
/* Of Arm. */
void xp_words_arm(struct words *words, const struct decoded *decoded);

#endif
