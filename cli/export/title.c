/* SPDX-License-Identifier: MIT */
/* The command that was recorded, of the command line of the recorder. */
#include "title.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "header.h"
#include "options.h"

enum { MAX_WORDS = 100000 };

/* Finds where the command begins in "perf record -g -- command ..."; @nr: there is none. */
static int find_command(char **words, int nr)
{
	const struct command *recorder = &record_command;
	int at = 1;

	for (; at < nr && strcmp(words[at], "record") != 0; at++) {
		if (words[at][0] != '-' && strcmp(words[at], "stat") != 0)
			return nr;
		if (words[at][0] != '-')
			recorder = &stat_command;
	}
	return at < nr ? at + options_first(recorder, nr - at, words + at) : nr;
}

static void put_words(FILE *out, char **words, int nr)
{
	for (int i = 0; i < nr; i++)
		fprintf(out, "%s%s", i ? " " : "", words[i]);
}

/* Writes the command; without one, how it was recorded is all there is to say. */
static void put_title(FILE *out, char **words, int nr)
{
	const char *slash = strrchr(words[0], '/');
	int first = find_command(words, nr);

	if (first < nr) {
		put_words(out, words + first, nr - first);
		return;
	}
	fputs(slash ? slash + 1 : words[0], out);
	fputs(nr > 1 ? " " : "", out);
	put_words(out, words + 1, nr - 1);
}

char *title_make(const struct recording *rec, bool is_whole)
{
	struct feature feature = feature_of(rec->data, XP_FEATURE_CMDLINE);
	uint32_t most = feature_u32(&feature);
	char *title = NULL, **words;
	size_t size;
	int nr = 0;

	most = feature.is_short ? 0 : most < MAX_WORDS ? most : MAX_WORDS;
	words = calloc((size_t)most + 1, sizeof(*words));
	FILE *out = words ? open_memstream(&title, &size) : NULL;
	if (!out)
		goto end;
	while ((uint32_t)nr < most) {
		const char *word = feature_text(&feature);

		if (feature.is_short)
			break;
		words[nr++] = (char *)word;
	}
	/* Some versions of perf store nothing but the name of the program. */
	if (!nr || (nr == 1 && !is_whole))
		fputs(rec->path, out);
	else if (is_whole)
		put_words(out, words, nr);
	else
		put_title(out, words, nr);
	if (fclose(out)) {
		free(title);
		title = NULL;
	}
end:
	free(words);
	return title;
}
