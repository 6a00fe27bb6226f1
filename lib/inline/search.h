/* SPDX-License-Identifier: MIT */
/* Binary search for a place. Where an element has to be equal there is bsearch(3). */
#ifndef INLINE_SEARCH_H
#define INLINE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many come before the first of which @compare says more than @most. */
static inline size_t search_most(const void *key, const void *array, size_t nr, size_t size,
				 int (*compare)(const void *element, const void *key), int most)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare((const char *)array + middle * size, key) <= most)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How many of @nr sorted elements, of @size bytes each, come before @key: also the position of the
 * first that does not. @compare: of an element and @key, as for qsort(3).
 */
static inline size_t search_before(const void *key, const void *array, size_t nr, size_t size,
				   int (*compare)(const void *element, const void *key))
{
	return search_most(key, array, nr, size, compare, -1);
}

/* The same of those that come before @key or are equal. */
static inline size_t search_behind(const void *key, const void *array, size_t nr, size_t size,
				   int (*compare)(const void *element, const void *key))
{
	return search_most(key, array, nr, size, compare, 0);
}

/* How many of @nr elements that are sorted by a number, which is at @offset in each, have one of at
 * most @key. */
static inline size_t search_up_to(uint64_t key, const void *array, size_t nr, size_t size,
				  size_t offset)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t number;

		memcpy(&number, (const char *)array + middle * size + offset, sizeof(number));
		if (number <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same by a member, which has to be of 64 bits. */
#define SEARCH_UP_TO(key, array, nr, member)                                                       \
	search_up_to(                                                                              \
		(key), (array), (nr), sizeof(*(array)),                                            \
		offsetof(__typeof__(*(array)), member) +                                           \
			0 * sizeof(char[sizeof((array)->member) == sizeof(uint64_t) ? 1 : -1]))

#endif
