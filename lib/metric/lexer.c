/* SPDX-License-Identifier: MIT */
/* From the bytes of a formula to words. Names are escaped as in the formulas that "perf list
 * --details" prints. */
#include "lexer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cleanup.h"

static const struct {
	const char *text;
	enum keyword keyword;
} keywords[] = {
	{ "if", WORD_IF },
	{ "else", WORD_ELSE },
	{ "min", WORD_MIN },
	{ "max", WORD_MAX },
	{ "d_ratio", WORD_RATIO },
	{ "has_event", WORD_HAS },
	{ "source_count", WORD_SOURCES },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_part_of_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '.' || c == ':' || c == '@';
}

/* Bytes of a number at @text; 0: there is none. */
static int number_len(const char *text)
{
	int len = 0, nr_digits = 0, exponent;

	for (; is_digit(text[len]) || (text[len] == '.' && !memchr(text, '.', (size_t)len)); len++)
		nr_digits += is_digit(text[len]);
	if (!nr_digits)
		return 0;
	exponent = len;
	if (text[exponent] != 'e' && text[exponent] != 'E')
		return len;
	exponent++;
	exponent += text[exponent] == '-' || text[exponent] == '+';
	if (!is_digit(text[exponent]))
		return len;
	while (is_digit(text[exponent]))
		exponent++;
	return exponent;
}

/* A byte that would end a name, and does not after a backslash. */
static bool is_escape(const char *text)
{
	return text[0] == '\\' && (text[1] == '-' || text[1] == ',' || text[1] == '=');
}

/* Bytes of a name at @text, escapes included; 0: there is none. */
static int name_len(const char *text)
{
	int len = 0;

	while (is_part_of_name(text[len]) || is_escape(text + len))
		len += text[len] == '\\' ? 2 : 1;
	return len;
}

static int too_long(const struct lexer *lexer, struct xp_diag *diag)
{
	xp_diag_set(diag, -E2BIG, "a name has more than %d letters", FORMULA_NAME_MAX);
	xp_formula_diag_at(diag, lexer->text, lexer->pos, lexer->len);
	return -E2BIG;
}

/* Without escapes. */
static int read_name(struct lexer *lexer, struct xp_diag *diag)
{
	const char *text = lexer->text + lexer->pos;
	size_t len = 0;

	for (int i = 0; i < lexer->len; i++) {
		bool escaped = text[i] == '\\';

		i += escaped;
		if (len == FORMULA_NAME_MAX)
			return too_long(lexer, diag);
		lexer->name[len++] = text[i] == '@' && !escaped ? '/' : text[i];
	}
	lexer->name[len] = '\0';
	lexer->token = TOKEN_NAME;
	for (size_t i = 0; i < XP_ARRAY_LEN(keywords); i++)
		if (strlen(keywords[i].text) == (size_t)lexer->len &&
		    !strcmp(lexer->name, keywords[i].text)) {
			lexer->token = TOKEN_KEYWORD;
			lexer->keyword = keywords[i].keyword;
		}
	return 0;
}

static int read_literal(struct lexer *lexer, struct xp_diag *diag)
{
	const char *text = lexer->text + lexer->pos;

	lexer->len = 1;
	while (is_letter(text[lexer->len]) || is_digit(text[lexer->len]))
		lexer->len++;
	if (lexer->len > FORMULA_NAME_MAX)
		return too_long(lexer, diag);
	memcpy(lexer->name, text, (size_t)lexer->len);
	lexer->name[lexer->len] = '\0';
	lexer->token = TOKEN_LITERAL;
	return 0;
}

/* Digits with a point, in every locale. */
static int read_number(struct lexer *lexer, struct xp_diag *diag)
{
	const char *text = lexer->text + lexer->pos;
	double value = 0, exponent = 0;
	int digits_after = 0, i = 0;
	bool after_point = false;

	for (; i < lexer->len && (is_digit(text[i]) || text[i] == '.'); i++) {
		if (text[i] == '.') {
			after_point = true;
			continue;
		}
		value = value * 10 + (text[i] - '0');
		digits_after += after_point;
	}
	if (i < lexer->len) {
		bool negative = text[++i] == '-';

		i += text[i] == '-' || text[i] == '+';
		for (; i < lexer->len && exponent < 10000; i++)
			exponent = exponent * 10 + (text[i] - '0');
		exponent = negative ? -exponent : exponent;
	}
	exponent -= digits_after;
	/* Division by a power of ten that is exact gives the nearest number; a product does not. */
	lexer->number = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
	lexer->token = TOKEN_NUMBER;
	if (isfinite(lexer->number))
		return 0;
	xp_diag_set(diag, -EINVAL, "the number is too large");
	xp_formula_diag_at(diag, lexer->text, lexer->pos, lexer->len);
	return -EINVAL;
}

int xp_formula_next(struct lexer *lexer, struct xp_diag *diag)
{
	const char *text = lexer->text;
	int as_number, as_name;

	lexer->pos += lexer->len;
	while (text[lexer->pos] == ' ' || text[lexer->pos] == '\t')
		lexer->pos++;
	text += lexer->pos;
	lexer->len = 0;
	lexer->token = TOKEN_END;
	if (!*text)
		return 0;
	if (*text == '#')
		return read_literal(lexer, diag);
	as_number = number_len(text);
	as_name = name_len(text);
	lexer->len = as_name > as_number ? as_name : as_number;
	if (as_name > as_number)
		return read_name(lexer, diag);
	if (as_number)
		return read_number(lexer, diag);
	lexer->len = 1;
	lexer->sign = *text;
	lexer->token = TOKEN_SIGN;
	return 0;
}
