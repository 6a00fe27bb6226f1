/* SPDX-License-Identifier: MIT */
/* Text in JSON. Source of the syntax: RFC 8259, section 7. */
#ifndef INLINE_JSON_TEXT_H
#define INLINE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "utf8.h"

enum { JSON_TEXT_MAX = 6 };

/* Whether a character is the same between quotes, and one byte. */
static inline bool json_text_is_plain(char c)
{
	static const bool is_plain[256] = {
		[' '] = true, ['!'] = true, ['#' ... '['] = true, [']' ... '~'] = true
	};

	return is_plain[(unsigned char)c];
}

/*
 * Writes the next character of *text, which is not at its end, as it is between quotes, and
 * advances *text: control characters and those that change the direction of text as \u001b, what is
 * not UTF-8 as U+FFFD. Returns the number of bytes written.
 */
static inline size_t json_text_next(const char **text, char buf[JSON_TEXT_MAX])
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)*text;
	size_t len = utf8_len(s);

	*text += len ? len : 1;
	if (!len) {
		memcpy(buf, "\\ufffd", JSON_TEXT_MAX);
		return JSON_TEXT_MAX;
	}
	if (utf8_is_control(s, len)) {
		unsigned int code = len == 1 ? *s
				    : len == 2
					    ? (*s & 31U) << 6 | (s[1] & 63U)
					    : (*s & 15U) << 12 | (s[1] & 63U) << 6 | (s[2] & 63U);

		memcpy(buf, "\\u", 2);
		for (int i = 0; i < 4; i++)
			buf[2 + i] = digits[code >> (12 - 4 * i) & 15];
		return JSON_TEXT_MAX;
	}
	bool is_special = *s == '"' || *s == '\\';
	buf[0] = '\\';
	memcpy(buf + is_special, s, len);
	return len + is_special;
}

#endif
