/* SPDX-License-Identifier: MIT */
/* Numbers in text: strict, locale-free. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <xperf/api.h>

/*
 * Reads an unsigned number in @base (10, 16, or 0: 0x prefix decides) from the @len bytes at
 * @text, all of which must belong to it. Returns 0, -EINVAL (not a number), -ERANGE.
 */
int xp_num_parse(const char *text, size_t len, int base, uint64_t *ret_value);

/*
 * Calls @fn for each range of a list like "0,2-3"; @first <= @last. @fn returns 0 to go on.
 * Returns 0, what @fn returned, or -EINVAL with @ret_pos the offset of the first byte that does
 * not fit (may be NULL). A trailing newline is allowed; an empty list is not.
 */
int xp_num_ranges(const char *text, uint64_t max,
		  int (*fn)(uint64_t first, uint64_t last, void *data), void *data, int *ret_pos);

#endif
