/* SPDX-License-Identifier: MIT */
/* Names come from recordings, that is from strangers: what is no text is shown, not sent to the
 * terminal. Escaped names are few; they are kept, each once. */
#include "escape.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

static struct kept {
	struct kept *next;
	char *from, *to;
} * kept_names;

/* Returns NULL without memory. */
static char *escape(const char *text)
{
	char *out = malloc(strlen(text) * ESCAPE_MAX + 1);
	size_t at = 0;

	while (out && *text)
		at += escape_next(&text, out + at);
	if (out)
		out[at] = '\0';
	return out;
}

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

const char *escaped(const char *text)
{
	if (is_plain(text))
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
