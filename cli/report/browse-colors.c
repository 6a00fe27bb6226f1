/* SPDX-License-Identifier: MIT */
/* Colours of the browser in files of settings. Source of keys and names: perf-config(1),
 * "colors.*". */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "browse.h"
#include "defaults.h"

static const struct {
	const char *key;
	enum style style;
} keys[] = {
	{ "colors.top", STYLE_HOT },           { "colors.medium", STYLE_WARM },
	{ "colors.normal", STYLE_PLAIN },      { "colors.root", STYLE_TITLE },
	{ "colors.selected", STYLE_SELECTED }, { "colors.jump_arrows", STYLE_ARROW },
	{ "colors.addr", STYLE_ADDRESS },
};

/* The eight of ECMA-48; of two that look alike there, one is bold. */
static const struct {
	const char *name;
	short number;
	bool is_bold;
} names[] = {
	{ "default", SCREEN_DEFAULT_COLOR, false },
	{ "black", 0, false },
	{ "red", 1, false },
	{ "green", 2, false },
	{ "yellow", 3, false },
	{ "blue", 4, false },
	{ "magenta", 5, false },
	{ "cyan", 6, false },
	{ "lightgray", 7, false },
	{ "white", 7, true },
	{ "gray", 0, true },
};

/* Returns its place among the names, or -1. */
static int name_of(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !strncasecmp(names[i].name, text, len))
			return (int)i;
	return -1;
}

/* "red, default"; the second may be missing. Returns false if it is something else. */
static bool parse(const char *text, struct style_colors *ret_colors)
{
	static const char blanks[] = " \t", ends[] = " \t,";
	int front, back = 0;

	text += strspn(text, blanks);
	front = name_of(text, strcspn(text, ends));
	text += strcspn(text, ends);
	text += strspn(text, blanks);
	if (*text == ',') {
		text += 1 + strspn(text + 1, blanks);
		back = name_of(text, strcspn(text, ends));
		text += strcspn(text, ends);
		text += strspn(text, blanks);
	}
	if (front < 0 || back < 0 || *text)
		return false;
	*ret_colors = (struct style_colors){ .is_set = true,
					     .is_bold = names[front].is_bold,
					     .foreground = names[front].number,
					     .background = names[back].number };
	return true;
}

void browse_colors(bool verbose, struct style_colors ret_colors[NR_STYLES])
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = defaults_value(keys[i].key);

		if (value && !parse(value, &ret_colors[keys[i].style]) && verbose)
			fprintf(stderr, "Note: %s: '%s' is no pair of colours; it is ignored\n",
				keys[i].key, escaped(value));
	}
}
