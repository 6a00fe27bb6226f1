/* SPDX-License-Identifier: MIT */
/* JSON for results that are written as they come. Source of the syntax: RFC 8259, section 7. */
#include "json.h"

#include "utf8.h"

void json_string(FILE *file, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', file);
	while (*s) {
		size_t len = utf8_len(s);

		if (!len)
			fputs("\\ufffd", file);
		else if (*s < 0x20)
			fprintf(file, "\\u%04x", *s);
		else if (*s == '"' || *s == '\\')
			fprintf(file, "\\%c", *s);
		else
			fwrite(s, 1, len, file);
		s += len ? len : 1;
	}
	fputc('"', file);
}
