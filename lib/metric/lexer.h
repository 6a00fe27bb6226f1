/* SPDX-License-Identifier: MIT */
/* The words of a formula. */
#ifndef METRIC_LEXER_H
#define METRIC_LEXER_H

#include "formula-impl.h"

enum token {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,
	TOKEN_LITERAL,
	TOKEN_KEYWORD,
	TOKEN_SIGN, /* an operator, a parenthesis, or anything else of one byte */
};

enum keyword { WORD_IF, WORD_ELSE, WORD_MIN, WORD_MAX, WORD_RATIO, WORD_HAS, WORD_SOURCES };

/* The word that was read last. */
struct lexer {
	const char *text;
	int pos, len;
	enum token token;
	enum keyword keyword;
	char sign;
	double number;
	char name[FORMULA_NAME_MAX + 1]; /* without escapes; of a literal, with its '#' */
};

/* Reads the next word. Returns 0, -E2BIG (a name is too long), -EINVAL (no number), with @diag
 * filled. */
int xp_formula_next(struct lexer *lexer, struct xp_diag *diag);

#endif
