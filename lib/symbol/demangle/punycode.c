/* SPDX-License-Identifier: MIT */
/*
 * Identifiers with letters outside ASCII: "gre_6ka8i" is "größe".
 *
 * Source: RFC 3492, 5 and 6; Rust RFC 2603, "Punycode": the delimiter is an underscore.
 */
#include "punycode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST = 128 };

/* What is decoded: characters, and where the next one goes. */
struct decoding {
	uint32_t chars[PUNYCODE_MAX];
	size_t nr;
	const char *at, *end;
	uint32_t bias, next, place;
};

static int digit_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return c - 'a';
	return c >= '0' && c <= '9' ? c - '0' + 26 : -1;
}

static void adapt(struct decoding *d, uint32_t delta, bool is_first)
{
	uint32_t k = 0;

	delta /= is_first ? DAMP : 2;
	for (delta += delta / (uint32_t)(d->nr + 1); delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
		delta /= BASE - T_MIN;
	d->bias = k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

/* How far on the next character is. Returns false where the text is none of these. */
static bool read_delta(struct decoding *d, uint32_t *ret_delta)
{
	uint32_t delta = 0, weight = 1, step;

	for (uint32_t k = BASE;; k += BASE) {
		int digit = d->at < d->end ? digit_of(*d->at++) : -1;
		uint32_t t = k <= d->bias ? T_MIN : k >= d->bias + T_MAX ? T_MAX : k - d->bias;

		if (digit < 0 || __builtin_mul_overflow((uint32_t)digit, weight, &step) ||
		    __builtin_add_overflow(delta, step, &delta))
			return false;
		if ((uint32_t)digit < t)
			break;
		if (__builtin_mul_overflow(weight, BASE - t, &weight))
			return false;
	}
	*ret_delta = delta;
	return true;
}

static bool is_char(uint32_t c)
{
	return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static bool decode_next(struct decoding *d)
{
	uint32_t delta, nr = (uint32_t)d->nr + 1;
	bool is_first = d->next == FIRST && !d->place;

	if (d->nr == PUNYCODE_MAX || !read_delta(d, &delta) ||
	    __builtin_add_overflow(d->place, delta, &d->place))
		return false;
	adapt(d, delta, is_first);
	if (__builtin_add_overflow(d->next, d->place / nr, &d->next) || !is_char(d->next))
		return false;
	d->place %= nr;
	memmove(&d->chars[d->place + 1], &d->chars[d->place],
		(d->nr - d->place) * sizeof(d->chars[0]));
	d->chars[d->place++] = d->next;
	d->nr++;
	return true;
}

/* As UTF-8. Source: RFC 3629, section 3. */
static char *put_char(char *to, uint32_t c)
{
	static const uint8_t marks[] = { 0, 0xc0, 0xe0, 0xf0 };
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	*to++ = (char)(marks[more] | c >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return to;
}

size_t xp_punycode_decode(const char *text, size_t len, char ret_text[PUNYCODE_MAX * 4])
{
	const char *delimiter = memrchr(text, '_', len);
	struct decoding d = { .at = delimiter ? delimiter + 1 : text,
			      .end = text + len,
			      .nr = delimiter ? (size_t)(delimiter - text) : 0,
			      .bias = FIRST_BIAS,
			      .next = FIRST };
	char *to = ret_text;

	if (d.at == d.end || d.nr > PUNYCODE_MAX)
		return 0;
	for (size_t i = 0; i < d.nr; i++)
		d.chars[i] = (unsigned char)text[i];
	while (d.at < d.end)
		if (!decode_next(&d))
			return 0;
	for (size_t i = 0; i < d.nr; i++)
		to = put_char(to, d.chars[i]);
	return (size_t)(to - ret_text);
}
