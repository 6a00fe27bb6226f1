/* SPDX-License-Identifier: MIT */
/* Source: Rust RFC 2603, "Rust Symbol Mangling (v0)". */
#include "rust-parser.h"

#include <stdio.h>
#include <string.h>

#include "punycode.h"

enum { MAX_DEPTH = 128, MAX_SHOWN = 1 << 14 };

void xp_rust_show(struct rust_parser *p, const char *text, size_t len)
{
	if (p->nr_silent || p->is_bad)
		return;
	p->is_bad = p->out.len + len > MAX_SHOWN || xp_str_add(&p->out, text, len);
}

void xp_rust_put(struct rust_parser *p, const char *text)
{
	xp_rust_show(p, text, strlen(text));
}

void xp_rust_put_number(struct rust_parser *p, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	xp_rust_put(p, text);
}

char xp_rust_peek(const struct rust_parser *p)
{
	return !p->is_bad && p->at < p->end ? *p->at : '\0';
}

char xp_rust_next(struct rust_parser *p)
{
	char c = xp_rust_peek(p);

	if (c)
		p->at++;
	else
		p->is_bad = true;
	return c;
}

bool xp_rust_eat(struct rust_parser *p, char wanted)
{
	bool is_there = xp_rust_peek(p) == wanted;

	p->at += is_there;
	return is_there;
}

bool xp_rust_enter(struct rust_parser *p)
{
	enum { MAX_STEPS = 1 << 16 };

	p->is_bad |= ++p->depth > MAX_DEPTH || ++p->nr_steps > MAX_STEPS;
	return !p->is_bad;
}

void xp_rust_leave(struct rust_parser *p)
{
	p->depth--;
}

int xp_rust_base62_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

uint64_t xp_rust_base62(struct rust_parser *p)
{
	uint64_t number = 0;

	if (xp_rust_eat(p, '_'))
		return 0;
	while (!p->is_bad && !xp_rust_eat(p, '_')) {
		int digit = xp_rust_base62_digit(xp_rust_next(p));

		p->is_bad |= digit < 0 || __builtin_mul_overflow(number, 62, &number) ||
			     __builtin_add_overflow(number, (uint64_t)digit, &number);
	}
	p->is_bad |= number == UINT64_MAX;
	return p->is_bad ? 0 : number + 1;
}

uint64_t xp_rust_marked_number(struct rust_parser *p, char mark)
{
	if (!xp_rust_eat(p, mark))
		return 0;
	uint64_t number = xp_rust_base62(p);
	p->is_bad |= number == UINT64_MAX;
	return number + 1;
}

struct rust_name xp_rust_plain_name(struct rust_parser *p)
{
	struct rust_name name = { .is_punycode = xp_rust_eat(p, 'u') };

	p->is_bad |= xp_rust_base62_digit(xp_rust_peek(p)) < 0 ||
		     xp_rust_base62_digit(xp_rust_peek(p)) > 9;
	while (!p->is_bad && xp_rust_peek(p) >= '0' && xp_rust_peek(p) <= '9') {
		name.len = name.len * 10 + (size_t)(xp_rust_next(p) - '0');
		p->is_bad |= name.len > (size_t)(p->end - p->at);
		if (!name.len)
			break;
	}
	xp_rust_eat(p, '_');
	p->is_bad |= name.len > (size_t)(p->end - p->at);
	if (p->is_bad)
		return (struct rust_name){ .text = "" };
	name.text = p->at;
	p->at += name.len;
	return name;
}

void xp_rust_show_name(struct rust_parser *p, const struct rust_name *name)
{
	char text[PUNYCODE_MAX * 4];
	size_t len = name->is_punycode ? xp_punycode_decode(name->text, name->len, text) : 0;

	if (len) {
		xp_rust_show(p, text, len);
		return;
	}
	if (name->is_punycode)
		xp_rust_put(p, "punycode{");
	xp_rust_show(p, name->text, name->len);
	if (name->is_punycode)
		xp_rust_put(p, "}");
}
