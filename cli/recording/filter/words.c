/* SPDX-License-Identifier: MIT */
/* Comma-separated lists of words, and of numbers, that a filter lets pass. */
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

static int read_file(const char *option, const char *path, struct words *words,
		     struct xp_diag *diag)
{
	FILE *file = fopen(path, "re");
	size_t cap = 0;
	ssize_t len = file ? getdelim(&words->text, &cap, '\0', file) : -1;
	int err = file && len >= 0 ? 0
				   : xp_diag_set(diag, -EINVAL, "--%s: %s: %s", option, path,
						 file ? "it is empty" : strerror(errno));

	if (file)
		fclose(file);
	return err;
}

int words_parse(const char *option, const char *list, struct words *words, struct xp_diag *diag)
{
	static const char scheme[] = "file://";
	int err = 0;

	if (!list)
		return 0;
	if (!strncmp(list, scheme, sizeof(scheme) - 1))
		err = read_file(option, list + sizeof(scheme) - 1, words, diag);
	else if (!(words->text = strdup(list)))
		err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	if (err)
		return err;
	words->len = strlen(words->text);
	for (size_t i = 0; i < words->len; i++)
		if (words->text[i] == ',' || words->text[i] == '\n')
			words->text[i] = '\0';
	return 0;
}

const char *words_first(const struct words *words)
{
	return words->text;
}

const char *words_next(const struct words *words, const char *word)
{
	const char *next = word + strlen(word) + 1;

	return next <= words->text + words->len ? next : NULL;
}

static int add_number(const char *option, const char *word, struct numbers *numbers,
		      struct xp_diag *diag)
{
	char *end;

	errno = 0;
	long number = strtol(word, &end, 10);
	if (errno || *end || number < 0 || number > INT32_MAX || *word == '-')
		return xp_diag_set(diag, -EINVAL, "--%s: '%s' is not a number", option, word);
	if (end != word)
		numbers->at[numbers->nr++] = (int32_t)number;
	return 0;
}

int numbers_parse(const char *option, const char *list, struct numbers *numbers,
		  struct xp_diag *diag)
{
	struct words words = { 0 };
	int err = words_parse(option, list, &words, diag);

	numbers->is_given = words.text;
	if (!err && words.text) {
		numbers->at = calloc(words.len + 1, sizeof(*numbers->at));
		if (!numbers->at)
			err = xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	for (const char *word = words_first(&words); word && !err; word = words_next(&words, word))
		err = add_number(option, word, numbers, diag);
	words_fini(&words);
	return err;
}

bool words_have(const struct words *words, const char *word)
{
	if (!words->text)
		return true;
	for (const char *at = words->text; word && at; at = words_next(words, at))
		if (!strcmp(at, word))
			return true;
	return false;
}

bool numbers_have(const struct numbers *numbers, int32_t number)
{
	for (size_t i = 0; i < numbers->nr; i++)
		if (numbers->at[i] == number)
			return true;
	return !numbers->is_given;
}

void words_fini(struct words *words)
{
	free(words->text);
	*words = (struct words){ 0 };
}

void numbers_fini(struct numbers *numbers)
{
	free(numbers->at);
	*numbers = (struct numbers){ 0 };
}
