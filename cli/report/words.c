/* SPDX-License-Identifier: MIT */
/* Lists of words that a filter lets through. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* Splits "a,b"; "file://NAME" is a file with one word per line. Returns 0 or -1. */
int words_read(const char *option, const char *list, struct words *words)
{
	static const char scheme[] = "file://";

	if (!list)
		return 0;
	if (!strncmp(list, scheme, sizeof(scheme) - 1)) {
		FILE *file = fopen(list + sizeof(scheme) - 1, "re");
		size_t cap = 0;
		ssize_t len = file ? getdelim(&words->text, &cap, '\0', file) : -1;

		if (file)
			fclose(file);
		if (!file || len < 0) {
			fprintf(stderr, "Error: --%s: %s: %s\n", option, list + sizeof(scheme) - 1,
				file ? "it is empty" : strerror(errno));
			return -1;
		}
	} else {
		words->text = strdup(list);
	}
	if (!words->text)
		return -1;
	words->len = strlen(words->text);
	for (size_t i = 0; i < words->len; i++)
		if (words->text[i] == ',' || words->text[i] == '\n')
			words->text[i] = '\0';
	return 0;
}

int words_read_numbers(const char *option, const char *list, struct words *words)
{
	if (words_read(option, list, words))
		return -1;
	for (size_t at = 0; words->text && at < words->len; at += strlen(words->text + at) + 1) {
		const char *word = words->text + at;
		char *end;

		errno = 0;
		long number = strtol(word, &end, 10);
		if (!errno && !*end && number >= 0 && number <= INT32_MAX && *word != '-')
			continue;
		fprintf(stderr, "Error: --%s: '%s' is not a number\n", option, word);
		return -1;
	}
	return 0;
}

bool words_have(const struct words *words, const char *word)
{
	if (!words->text)
		return true;
	for (size_t at = 0; word && at <= words->len; at += strlen(words->text + at) + 1)
		if (!strcmp(words->text + at, word))
			return true;
	return false;
}

bool words_have_number(const struct words *words, int32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return words_have(words, text);
}
