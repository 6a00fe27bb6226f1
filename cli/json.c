/* SPDX-License-Identifier: MIT */
/* JSON for results that are written as they come. Source of the syntax: RFC 8259, section 7. */
#include "json.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

size_t json_next(const char **text, char buf[JSON_MAX])
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)*text;
	size_t len = utf8_len(s);

	*text += len ? len : 1;
	if (!len) {
		memcpy(buf, "\\ufffd", JSON_MAX);
		return JSON_MAX;
	}
	if (utf8_is_control(s, len)) {
		unsigned int code = len == 1 ? *s
				    : len == 2
					    ? (*s & 31U) << 6 | (s[1] & 63U)
					    : (*s & 15U) << 12 | (s[1] & 63U) << 6 | (s[2] & 63U);

		memcpy(buf, "\\u", 2);
		for (int i = 0; i < 4; i++)
			buf[2 + i] = digits[code >> (12 - 4 * i) & 15];
		return JSON_MAX;
	}
	bool is_special = *s == '"' || *s == '\\';
	buf[0] = '\\';
	memcpy(buf + is_special, s, len);
	return len + is_special;
}

void json_string(FILE *file, const char *text)
{
	char buf[JSON_MAX];

	if (!text) {
		fputs("null", file);
		return;
	}
	fputc('"', file);
	while (*text) {
		size_t len = json_next(&text, buf);

		fwrite(buf, 1, len, file);
	}
	fputc('"', file);
}
