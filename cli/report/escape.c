/* SPDX-License-Identifier: MIT */
/* Names come from recordings, that is from strangers: what is no text is shown, not sent to the
 * terminal. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "utf8.h"

/* Length of the harmless character at @s, 0 for others: control characters, also those of two
 * bytes, and what is not UTF-8. */
static size_t harmless(const unsigned char *s)
{
	if (*s < 0x20 || *s == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0))
		return 0;
	return utf8_len(s);
}

static bool is_harmless(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = harmless(s);

		if (!len)
			return false;
		s += len;
	}
	return true;
}

/* Escaped names are few; they are kept, each once. */
static struct kept {
	struct kept *next;
	char *from, *to;
} * kept_names;

static char *escape(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char *out = malloc(strlen(text) * 4 + 1);
	size_t at = 0;

	while (out && *s) {
		size_t len = harmless(s);

		if (len) {
			memcpy(out + at, s, len);
			at += len;
			s += len;
		} else {
			at += (size_t)sprintf(out + at, "\\x%02x", *s++);
		}
	}
	if (out)
		out[at] = '\0';
	return out;
}

const char *escaped(const char *text)
{
	if (is_harmless(text))
		return text;
	for (struct kept *k = kept_names; k; k = k->next)
		if (!strcmp(k->from, text))
			return k->to;
	struct kept *kept = calloc(1, sizeof(*kept));
	if (!kept)
		return "?";
	*kept = (struct kept){ .next = kept_names, .from = strdup(text), .to = escape(text) };
	if (!kept->from || !kept->to) {
		free(kept->from);
		free(kept->to);
		free(kept);
		return "?";
	}
	kept_names = kept;
	return kept->to;
}
