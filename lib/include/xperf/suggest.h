/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name nearest to a mistyped one. */
#ifndef XPERF_SUGGEST_H
#define XPERF_SUGGEST_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/**
 * struct xp_suggest - the best of the names offered so far
 * @word:          what was typed; the caller's
 * @len:           its length, bytes
 * @best:          the nearest name offered, one of the pointers given; NULL: none is near
 * @best_distance: letters in which @best differs from @word
 *
 * Initialise @word and @len, leave the rest zero.
 */
struct xp_suggest {
	const char *word;
	size_t len;
	const char *best;
	unsigned int best_distance;
};

/**
 * xp_suggest_offer - offer a known name
 * @name: must outlive @suggest
 *
 * Among equally near names the first one offered is kept. A name that differs in more than one
 * letter and a third of them is another word, not a mistyped one. Case does not count. Words of
 * more than 63 letters have no nearest name.
 */
XP_API void xp_suggest_offer(struct xp_suggest *suggest, const char *name);

XP_END_DECLS

#endif
