/* SPDX-License-Identifier: MIT */
/* The letters, numbers and identifiers of Rust's v0 scheme, and the text they become. */
#ifndef SYMBOL_RUST_PARSER_H
#define SYMBOL_RUST_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct rust_parser {
	const char *start, *at, *end; /* behind "_R"; back references count from there */
	struct xp_str out;
	int depth;
	int nr_silent;         /* parts that are read and not shown */
	uint64_t nr_lifetimes; /* that are bound here */
	uint32_t nr_steps;
	bool is_bad;
};

/* An identifier. */
struct rust_name {
	const char *text;
	size_t len;
	bool is_punycode;
};

/* Adds to the text, unless it is silent. */
void xp_rust_show(struct rust_parser *p, const char *text, size_t len);
void xp_rust_put(struct rust_parser *p, const char *text);
void xp_rust_put_number(struct rust_parser *p, uint64_t number);
/* The next letter; NUL at the end. */
char xp_rust_peek(const struct rust_parser *p);
/* The same, and goes on; it is bad at the end. */
char xp_rust_next(struct rust_parser *p);
/* Goes on if that is the next letter. Returns true if it was. */
bool xp_rust_eat(struct rust_parser *p, char wanted);
/* Returns false where it is too deep, or goes on for too long without showing anything. */
bool xp_rust_enter(struct rust_parser *p);
void xp_rust_leave(struct rust_parser *p);
/* -1: it is none */
int xp_rust_base62_digit(char c);
/* "_" is 0, "0_" is 1 */
uint64_t xp_rust_base62(struct rust_parser *p);
/* A number behind a letter, or 0. */
uint64_t xp_rust_marked_number(struct rust_parser *p, char mark);
/* Reads an identifier; shows one. */
struct rust_name xp_rust_plain_name(struct rust_parser *p);
void xp_rust_show_name(struct rust_parser *p, const struct rust_name *name);

#endif
