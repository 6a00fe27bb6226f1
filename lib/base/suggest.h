/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name nearest to a mistyped one. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <xperf/api.h>

/*
 * The best of the names offered so far. Initialise @word and @len only.
 * @best is a pointer given to xp_suggest_offer(), or NULL: nothing is near.
 */
struct xp_suggest {
	const char *word;
	size_t len;
	const char *best;
	unsigned int best_distance;
};

/* Offers a name, which must outlive @suggest. */
void xp_suggest_offer(struct xp_suggest *suggest, const char *name);

/* Edit distance with transpositions, at most @limit + 1. Case does not count. */
unsigned int xp_edit_distance(const char *a, size_t a_len, const char *b, size_t b_len,
			      unsigned int limit);

#endif
