/* SPDX-License-Identifier: MIT */
/* An event string cut into tokens. */
#ifndef EVSEL_LEXER_H
#define EVSEL_LEXER_H

#include "source.h"

enum xp_token_kind {
	XP_TOKEN_END,
	XP_TOKEN_WORD,       /* a name, number, pattern or modifiers: any other bytes */
	XP_TOKEN_QUOTED,     /* 'text' or "text"; the part is without the quotes */
	XP_TOKEN_OPEN_QUOTE, /* a quote that is never closed */
	XP_TOKEN_COMMA,
	XP_TOKEN_COLON,
	XP_TOKEN_SLASH,
	XP_TOKEN_EQUALS,
	XP_TOKEN_OPEN,
	XP_TOKEN_CLOSE,
	XP_TOKEN_NR_KINDS,
};

struct xp_token {
	enum xp_token_kind kind;
	struct xp_span span;
	const char *end; /* behind the token, its quote included */
};

/* Reads the token at or behind @at; blanks before it are skipped. */
struct xp_token xp_token_at(const char *at);

#endif
