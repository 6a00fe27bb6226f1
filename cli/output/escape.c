/* SPDX-License-Identifier: MIT */
/* Control characters of foreign text, in the letters of C. */
#include "escape.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

size_t escape_next(const char **text, char buf[ESCAPE_MAX])
{
	static const char letters[] = "abtnvfr"; /* from BEL, 7, on */
	const unsigned char *s = (const unsigned char *)*text;
	size_t len = utf8_len(s);

	if (len && !utf8_is_control(s, len)) {
		memcpy(buf, s, len);
		*text += len;
		return len;
	}
	(*text)++;
	buf[0] = '\\';
	if (*s >= '\a' && *s <= '\r') {
		buf[1] = letters[*s - '\a'];
		return 2;
	}
	for (int i = 1; i < ESCAPE_MAX; i++)
		buf[i] = (char)('0' + (*s >> (9 - 3 * i) & 7));
	return ESCAPE_MAX;
}

void escape_print(FILE *file, const char *text)
{
	char buf[ESCAPE_MAX];

	while (*text) {
		size_t len = escape_next(&text, buf);

		fwrite(buf, 1, len, file);
	}
}

void escape_padded(FILE *file, const char *text, int width)
{
	char buf[ESCAPE_MAX];
	int columns = 0;

	for (const char *at = text; *at;) {
		size_t len = escape_next(&at, buf);

		/* What is escaped is ASCII now; the rest is one character. */
		columns += buf[0] & 0x80 ? 1 : (int)len;
	}
	fprintf(file, "%*s", width > columns ? width - columns : 0, "");
	escape_print(file, text);
	fprintf(file, "%*s", -width > columns ? -width - columns : 0, "");
}
