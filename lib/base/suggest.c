/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name nearest to a mistyped one, by edit distance with transpositions.
 */
#include "suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xperf/suggest.h>

enum { WORD_MAX = 63 };

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment, three rows at a time. */
unsigned int xp_edit_distance(const char *a, size_t a_len, const char *b, size_t b_len,
			      unsigned int limit)
{
	unsigned int rows[3][WORD_MAX + 1];

	size_t longer = a_len > b_len ? a_len : b_len;
	size_t shorter = a_len > b_len ? b_len : a_len;

	/* Every letter that is missing is one that differs. */
	if (longer > WORD_MAX || longer - shorter > limit)
		return limit + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *above = rows[(i - 1) % 3];
		const unsigned int *above2 = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned int cost = same(a[i - 1], b[j - 1]) ? 0 : 1;

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) && above2[j - 2] + 1 < row[j])
				row[j] = above2[j - 2] + 1;
		}
	}
	unsigned int distance = rows[a_len % 3][b_len];

	return distance > limit ? limit + 1 : distance;
}

void xp_suggest_offer(struct xp_suggest *suggest, const char *name)
{
	/* A third of the letters may be wrong; more is another word. */
	unsigned int limit = (unsigned int)((suggest->len + 1) / 3);

	/* Two at the end may be missing of a short word. */
	if (suggest->len > 2 && limit < 2 && !strncasecmp(suggest->word, name, suggest->len))
		limit = 2;

	if (suggest->best && suggest->best_distance <= limit)
		limit = suggest->best_distance - 1;
	if (suggest->best && !suggest->best_distance)
		return;

	unsigned int d = xp_edit_distance(suggest->word, suggest->len, name, strlen(name), limit);

	if (d > limit)
		return;
	suggest->best = name;
	suggest->best_distance = d;
}
