/* SPDX-License-Identifier: MIT */
/*
 * Rust's legacy scheme looks like C++: _ZN, parts with their lengths, E. It is recognized by its
 * last part, 'h' and 16 hexadecimal digits; '$' and '.' stand for what linkers do not take.
 *
 * Source: rustc's book, "Symbol Mangling", and the names rustc makes.
 */
#include "rust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "str.h"

enum { HASH_LEN = 17 };

static const struct {
	const char *code;
	const char *text;
} escapes[] = {
	{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" },
	{ "$GT$", ">" }, { "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },
};

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_hash(const char *part, size_t len)
{
	if (len != HASH_LEN || part[0] != 'h')
		return false;
	for (size_t i = 1; i < len; i++)
		if (hex_digit(part[i]) < 0)
			return false;
	return true;
}

/* "$u7e$": a character by its number. Returns the bytes consumed; 0: it is none. */
static size_t add_number(struct xp_str *out, const char *at, size_t len)
{
	unsigned int value = 0;

	if (len < 4 || at[1] != 'u')
		return 0;
	for (size_t i = 2; i < len && i < 8; i++) {
		if (at[i] == '$' && i > 2 && value >= ' ' && value < 0x7f) {
			char c = (char)value;

			xp_str_add(out, &c, 1);
			return i + 1;
		}
		if (hex_digit(at[i]) < 0)
			return 0;
		value = value << 4 | (unsigned int)hex_digit(at[i]);
	}
	return 0;
}

static size_t add_escape(struct xp_str *out, const char *at, size_t len)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(escapes); i++) {
		size_t code_len = strlen(escapes[i].code);

		if (len < code_len || memcmp(at, escapes[i].code, code_len) != 0)
			continue;
		xp_str_add(out, escapes[i].text, strlen(escapes[i].text));
		return code_len;
	}
	return add_number(out, at, len);
}

static void add_part(struct xp_str *out, const char *part, size_t len)
{
	/* An identifier may not begin with '$'; it has a '_' in front. */
	size_t i = len > 1 && part[0] == '_' && part[1] == '$';

	while (i < len) {
		size_t consumed = part[i] == '$' ? add_escape(out, part + i, len - i) : 0;

		if (!consumed && len - i > 1 && part[i] == '.' && part[i + 1] == '.') {
			xp_str_add(out, "::", 2);
			consumed = 2;
		} else if (!consumed) {
			xp_str_add(out, part + i, 1);
			consumed = 1;
		}
		i += consumed;
	}
}

/* The next part behind its length. Returns false: there is none. */
static bool next_part(const char **at, const char *end, const char **ret_part, size_t *ret_len)
{
	size_t len = 0;

	while (*at < end && **at >= '0' && **at <= '9' && len < (size_t)(end - *at))
		len = len * 10 + (size_t)(*(*at)++ - '0');
	if (!len || len > (size_t)(end - *at))
		return false;
	*ret_part = *at;
	*ret_len = len;
	*at += len;
	return true;
}

char *xp_rust_demangle(const char *name, size_t len)
{
	const char *at = name + (name[1] == '_'), *end = name + len, *part, *next;
	struct xp_str out = { 0 };
	size_t part_len, next_len;

	if (end - at < HASH_LEN + 6 || memcmp(at, "_ZN", 3) != 0)
		return NULL;
	at += 3;
	if (!next_part(&at, end, &part, &part_len))
		return NULL;
	while (next_part(&at, end, &next, &next_len)) {
		if (out.len)
			xp_str_add(&out, "::", 2);
		add_part(&out, part, part_len);
		part = next;
		part_len = next_len;
	}
	/* What the compiler adds behind the E, ".llvm.123", says nothing. */
	if (out.len && is_hash(part, part_len) && at < end && *at == 'E' &&
	    (at + 1 == end || at[1] == '.'))
		return xp_str_detach(&out);
	xp_str_fini(&out);
	return NULL;
}
