/* SPDX-License-Identifier: MIT */
/*
 * Programs move their own text into other memory, to have it in huge pages: a copy of it is put at
 * the same addresses. To the kernel that is memory without a file, or another file. The functions
 * are those of the file that was mapped there before; where that was never recorded, of the file
 * that has the code on both sides.
 *
 * Source: what Linux 6.18 records of mmap(2) with MAP_FIXED and of mprotect(2): one MMAP for what
 * is executable then, with its neighbours where they have become one.
 */
#include <sys/mman.h>
#include <xperf/timeline.h>

#include "timeline-impl.h"

static struct mapping *map_at(const struct xp_timeline *timeline, uint32_t idx)
{
	return (struct mapping *)timeline->maps.at + idx;
}

static bool is_made(const struct xp_timeline *timeline, const struct mapping *map)
{
	return ((const struct xp_dso *)timeline->dsos.at + map->dso)->is_jit;
}

static bool is_text_of_file(const struct xp_timeline *timeline, const struct mapping *map)
{
	const struct xp_dso *dso = (const struct xp_dso *)timeline->dsos.at + map->dso;

	return !dso->is_jit && *dso->name == '/' && map->prot & PROT_EXEC;
}

static bool contains(const struct mapping *outer, const struct mapping *inner)
{
	return outer->start <= inner->start && inner->end <= outer->end;
}

/* The mapping that was at its addresses until now has the same code. */
static void look_below(const struct xp_timeline *timeline, uint32_t root, struct mapping *map)
{
	const struct range *range = xp_ranges_at(&timeline->ranges, root, map->start);
	const struct mapping *there = range ? map_at(timeline, range->map) : NULL;
	uint32_t from = !there                             ? 0
			: is_text_of_file(timeline, there) ? range->map + 1
							   : there->moved_from;

	if (from && (contains(there, map) || contains(map_at(timeline, from - 1), map)))
		map->moved_from = from;
}

/* The range that ends where another begins; NULL: there is none. */
static const struct range *left_of(const struct xp_timeline *timeline, uint32_t root,
				   uint64_t start)
{
	const struct range *range = xp_ranges_below(&timeline->ranges, root, start);

	return range && range->end == start ? range : NULL;
}

/* File, memory, and now the same file, as if the memory were a part of it. */
static void look_beside(const struct xp_timeline *timeline, uint32_t root,
			const struct mapping *map)
{
	enum { MAX_PIECES = 256 }; /* of memory */
	const struct range *made[MAX_PIECES];
	const struct range *range = left_of(timeline, root, map->start);
	size_t nr = 0;

	while (range && nr < MAX_PIECES && is_made(timeline, map_at(timeline, range->map)) &&
	       !map_at(timeline, range->map)->moved_from) {
		made[nr++] = range;
		range = left_of(timeline, root, range->start);
	}
	const struct mapping *before = range && nr ? map_at(timeline, range->map) : NULL;
	if (!before || before->dso != map->dso ||
	    before->offset + (map->start - before->start) != map->offset)
		return;
	for (size_t i = 0; i < nr; i++)
		map_at(timeline, made[i]->map)->moved_from = range->map + 1;
}

void xp_timeline_note_moved(struct xp_timeline *timeline, uint32_t root, uint32_t idx)
{
	struct mapping *map = map_at(timeline, idx);

	if (is_made(timeline, map))
		look_below(timeline, root, map);
	else if (is_text_of_file(timeline, map))
		look_beside(timeline, root, map);
}
