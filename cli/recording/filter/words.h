/* SPDX-License-Identifier: MIT */
/* Comma-separated lists of words, and of numbers, that a filter lets pass. */
#ifndef RECORDING_WORDS_H
#define RECORDING_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xp_diag;

/* Zeroed: no list was given, everything passes. */
struct words {
	char *text; /* words, each with a final NUL */
	size_t len;
};

struct numbers {
	int32_t *at;
	size_t nr;
	bool is_given;
};

/* Splits "a,b"; "file://NAME" is a file with one word per line; NULL: there is no list. @option: as
 * messages name it. Return 0, or a negative errno with @diag filled. */
int words_parse(const char *option, const char *list, struct words *words, struct xp_diag *diag);
/* The same for numbers from 0. */
int numbers_parse(const char *option, const char *list, struct numbers *numbers,
		  struct xp_diag *diag);
/* The first word, and the one after @word; NULL: there is none. */
const char *words_first(const struct words *words);
const char *words_next(const struct words *words, const char *word);
/* Whether a word, which may be NULL, or a number passes. */
bool words_have(const struct words *words, const char *word);
bool numbers_have(const struct numbers *numbers, int32_t number);
void words_fini(struct words *words);
void numbers_fini(struct numbers *numbers);

#endif
