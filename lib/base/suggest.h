/* SPDX-License-Identifier: MIT */
/* "Did you mean": the measure behind <xperf/suggest.h>. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <xperf/api.h>

/* Edit distance with transpositions, at most @limit + 1. Case does not count. */
unsigned int xp_edit_distance(const char *a, size_t a_len, const char *b, size_t b_len,
			      unsigned int limit);

#endif
