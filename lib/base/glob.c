/* SPDX-License-Identifier: MIT */
/* Shell patterns of '*' and '?'. fnmatch(3) would be slow on patterns made to be slow. */
#include "glob.h"

bool xp_is_glob(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '*' || text[i] == '?')
			return true;
	return false;
}

bool xp_glob_match(const char *pattern, size_t len, const char *text)
{
	const char *end = pattern + len;
	const char *star = NULL;  /* behind the last '*' */
	const char *retry = NULL; /* where the text behind it was last tried */

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}
