/* SPDX-License-Identifier: MIT */
/* Binary search for a place. For an element that has to be equal there is bsearch(3). */
#ifndef INLINE_SEARCH_H
#define INLINE_SEARCH_H

#include <stddef.h>

/*
 * How many of @nr sorted elements, of @size bytes each, come before @key: also the position of the
 * first that does not. @compare: of an element and @key, as for qsort(3).
 */
static inline size_t search_before(const void *key, const void *array, size_t nr, size_t size,
				   int (*compare)(const void *element, const void *key))
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare((const char *)array + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
