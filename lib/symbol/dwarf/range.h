/* SPDX-License-Identifier: MIT */
/* Addresses that belong to a unit or to an entry of one, and their order. */
#ifndef DWARF_RANGE_H
#define DWARF_RANGE_H

#include <stdint.h>
#include <stdlib.h>

/* @owner: the number of what they belong to. @reach: the highest @end up to here, once they are
 * sorted */
struct range {
	uint64_t start, end, reach;
	uint32_t owner, unused;
};

/* The wider one first, so that what is in another comes after it; of equal ones, the one of the
 * lower number. */
static inline int range_compare(const void *a, const void *b)
{
	const struct range *l = a, *r = b;

	if (l->start != r->start)
		return l->start < r->start ? -1 : 1;
	if (l->end != r->end)
		return l->end > r->end ? -1 : 1;
	return (l->owner > r->owner) - (l->owner < r->owner);
}

/* Sorts them, and sets how far each reaches. */
static inline void range_sort(struct range *ranges, size_t nr)
{
	uint64_t reach = 0;

	if (nr)
		qsort(ranges, nr, sizeof(*ranges), range_compare);
	for (size_t i = 0; i < nr; i++) {
		reach = ranges[i].end > reach ? ranges[i].end : reach;
		ranges[i].reach = reach;
	}
}

#endif
