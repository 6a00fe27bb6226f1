/* SPDX-License-Identifier: MIT */
/* Names come from recordings, and anybody can have made these: what is no text is shown, not sent
 * to the terminal. Escaped names are few; they are kept, each once. */
#include "escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "index.h"
#include "utf8.h"
#include "vec.h"

struct kept {
	char *from, *to;
};

static struct {
	struct kept *at;
	size_t nr;
	struct index index;
} names;

/* What is shown may be shown until the end. */
__attribute__((destructor)) static void free_names(void)
{
	for (size_t i = 0; i < names.nr; i++) {
		free(names.at[i].from);
		free(names.at[i].to);
	}
	free(names.at);
	index_fini(&names.index);
}

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

const char *escaped(const char *text)
{
	size_t len = strlen(text);

	if (utf8_is_plain(text, len))
		return text;
	uint64_t hash = xp_hash_bytes(xp_hash_seed(), text, len);
	size_t at;
	for (struct index_walk walk = index_walk(&names.index, hash); index_next(&walk, &at);)
		if (!strcmp(names.at[at].from, text))
			return names.at[at].to;
	struct kept kept = { .from = strdup(text), .to = escape(text) };
	if (!kept.from || !kept.to || vec_add(&names.at, names.nr, sizeof(kept)) ||
	    index_add(&names.index, hash, names.nr)) {
		free(kept.from);
		free(kept.to);
		return "?";
	}
	names.at[names.nr++] = kept;
	return kept.to;
}
