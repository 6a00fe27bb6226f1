/* SPDX-License-Identifier: MIT */
#include "row-room.h"

#include <string.h>

#include "search.h"
#include "vec.h"

int xp_row_room_init(struct row_room *rows, uint32_t nr)
{
	*rows = (struct row_room){ 0 };
	xp_row_room_free(rows, 0, nr);
	return rows->nr ? 0 : -ENOMEM;
}

void xp_row_room_fini(struct row_room *rows)
{
	free(rows->free);
	*rows = (struct row_room){ 0 };
}

static void drop(struct row_room *rows, size_t at)
{
	rows->nr--;
	memmove(rows->free + at, rows->free + at + 1, (rows->nr - at) * sizeof(*rows->free));
}

bool xp_row_room_alloc(struct row_room *rows, uint32_t nr, uint32_t *ret_first)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct row_extent *extent = &rows->free[i];

		if (extent->nr < nr)
			continue;
		*ret_first = extent->first;
		extent->first += nr;
		extent->nr -= nr;
		rows->nr_free -= nr;
		if (!extent->nr)
			drop(rows, i);
		return true;
	}
	return false;
}

static int is_before(const void *element, const void *key)
{
	const struct row_extent *extent = element;
	const uint32_t *first = key;

	return extent->first < *first ? -1 : 1;
}

/* Joins an extent with the one after it where they touch. */
static void join(struct row_room *rows, size_t at)
{
	struct row_extent *extent = &rows->free[at];

	if (at + 1 >= rows->nr || extent->first + extent->nr != extent[1].first)
		return;
	extent->nr += extent[1].nr;
	drop(rows, at + 1);
}

void xp_row_room_free(struct row_room *rows, uint32_t first, uint32_t nr)
{
	size_t at = search_before(&first, rows->free, rows->nr, sizeof(*rows->free), is_before);

	if (vec_reserve(&rows->free, rows->nr, &rows->room, sizeof(*rows->free)))
		return;
	memmove(rows->free + at + 1, rows->free + at, (rows->nr - at) * sizeof(*rows->free));
	rows->free[at] = (struct row_extent){ first, nr };
	rows->nr++;
	rows->nr_free += nr;
	join(rows, at);
	if (at)
		join(rows, at - 1);
}
