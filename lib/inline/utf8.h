/* SPDX-License-Identifier: MIT */
/* Text from outside: whether its bytes are UTF-8, and how many columns it fills. */
#ifndef INLINE_UTF8_H
#define INLINE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Length of the well-formed UTF-8 character at @s, 0 if it is none. Source: RFC 3629, section 4. */
static inline size_t utf8_len(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
	bool surrogate = s[0] == 0xed && s[1] > 0x9f;
	bool beyond = s[0] == 0xf4 && s[1] > 0x8f;
	return overlong || surrogate || beyond ? 0 : len;
}

/*
 * Whether a character of @len bytes does something to a terminal instead of being shown: controls,
 * and those that turn the direction of what is beside them. Source: Unicode, "Bidi_Control" of
 * PropList.txt; line and paragraph separator are among them.
 */
static inline bool utf8_is_control(const unsigned char *s, size_t len)
{
	switch (len) {
	case 1:
		return *s < 0x20 || *s == 0x7f;
	case 2: /* U+0080 .. U+009f, U+061c */
		return (*s == 0xc2 && s[1] < 0xa0) || (*s == 0xd8 && s[1] == 0x9c);
	case 3: /* U+200e, U+200f, U+2028 .. U+202e, U+2066 .. U+2069 */
		return *s == 0xe2 && ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f ||
							(s[2] >= 0xa8 && s[2] <= 0xae))) ||
				      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
	default:
		return false;
	}
}

/* Columns that @len bytes of UTF-8 fill: the characters among them. Eight bytes at a time, since
 * tables of names are measured with it. */
static inline int utf8_columns_of(const char *text, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	int columns = (int)len;
	size_t i = 0;

	/* Bytes that continue a character begin with the bits 10. */
	for (; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text + i, sizeof(word));
		columns -= (int)(((word >> 7 & ~word >> 6 & ones) * ones) >> 56);
	}
	for (; i < len; i++)
		columns -= (text[i] & 0xc0) == 0x80;
	return columns;
}

/* Whether @len bytes are ASCII that is shown as it is, as nearly all names are. */
static inline bool utf8_is_plain(const char *text, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t odd = 0;
	size_t i = 0;

	/* Bit 7 of a byte: it is below ' ', above '~', or beside one that is. */
	for (; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text + i, sizeof(word));
		odd |= (word - ones * ' ') | (word + ones) | word;
	}
	for (; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return !(odd & ones << 7);
}

static inline int utf8_columns(const char *text)
{
	return utf8_columns_of(text, strlen(text));
}

#endif
