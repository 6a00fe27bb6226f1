/* SPDX-License-Identifier: MIT */
/* Shell patterns of '*' and '?', as event strings use them. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <xperf/api.h>

/* True if the @len bytes at @text hold a '*' or '?'. */
bool xp_is_glob(const char *text, size_t len);

/* True if the pattern of @len bytes matches all of @text. Time grows with the product of the
 * lengths at worst; no recursion. */
bool xp_glob_match(const char *pattern, size_t len, const char *text);

#endif
