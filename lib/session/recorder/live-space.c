/* SPDX-License-Identifier: MIT */
/* One address space: an array of maps in the order of addresses, and those that are gone. */
#include "live-space.h"

#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "vec.h"

struct xp_live_space *xp_space_new(struct xp_live_maps *maps, uint64_t time_ns)
{
	struct xp_live_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->refs = 1;
	space->state = ++maps->state;
	space->changed_ns = time_ns;
	return space;
}

void xp_space_unref(struct xp_live_maps *maps, struct xp_live_space *space)
{
	if (--space->refs)
		return;
	xp_space_set_dump(maps, space, 0);
	maps->bytes -= space->room * sizeof(*space->at);
	free(space->at);
	free(space->past);
	free(space);
}

struct xp_live_space *xp_space_clone(struct xp_live_maps *maps, const struct xp_live_space *from)
{
	struct xp_live_space *space = xp_space_new(maps, from->changed_ns);

	if (!space)
		return NULL;
	if (vec_reserve_more(&space->at, 0, from->nr + 1, &space->room, sizeof(*space->at)) ||
	    vec_reserve_more(&space->past, 0, from->nr_past + 1, &space->past_room,
			     sizeof(*space->past))) {
		free(space->at);
		free(space);
		return NULL;
	}
	maps->bytes += space->room * sizeof(*space->at);
	if (from->nr)
		memcpy(space->at, from->at, from->nr * sizeof(*from->at));
	if (from->nr_past)
		memcpy(space->past, from->past, from->nr_past * sizeof(*from->past));
	space->nr = from->nr;
	space->nr_past = from->nr_past;
	xp_space_set_dump(maps, space, from->dump);
	return space;
}

void xp_space_set_dump(struct xp_live_maps *maps, struct xp_live_space *space, int dump)
{
	if (space->dump)
		maps->dumps[space->dump - 1].nr_spaces--;
	if (dump)
		maps->dumps[dump - 1].nr_spaces++;
	space->dump = dump;
}

/* Without memory it is not remembered. */
static void remember(struct xp_live_space *space, const struct xp_live_map *map, uint64_t until_ns)
{
	if (map->since_ns >= until_ns)
		return;
	if (space->nr_past == XP_LIVE_PAST_MAX) {
		space->nr_past -= XP_LIVE_PAST_MAX / 4;
		memmove(space->past, space->past + XP_LIVE_PAST_MAX / 4,
			space->nr_past * sizeof(*space->past));
	}
	if (!vec_reserve(&space->past, space->nr_past, &space->past_room, sizeof(*space->past)))
		space->past[space->nr_past++] = (struct past_map){ *map, until_ns };
}

/* The first map that ends behind an address. */
static size_t first_behind(const struct xp_live_space *space, uint64_t address)
{
	return SEARCH_UP_TO(address, space->at, space->nr, end);
}

static bool is_same(const struct xp_live_map *a, const struct xp_live_map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->file == b->file && a->is_executable == b->is_executable;
}

/* What is left of maps that another one covers from @start to @end. Returns their number. */
static size_t leftovers(const struct xp_live_map *first, const struct xp_live_map *last,
			uint64_t start, uint64_t end, struct xp_live_map *ret_left)
{
	size_t nr = 0;

	if (first->start < start) {
		ret_left[nr] = *first;
		ret_left[nr++].end = start;
	}
	if (last->end > end) {
		ret_left[nr] = *last;
		ret_left[nr].offset += end - last->start;
		ret_left[nr++].start = end;
	}
	return nr;
}

/* Replaces the maps [@from, @to) by others. Returns 0 or -ENOMEM. */
static int replace(struct xp_live_maps *maps, struct xp_live_space *space, size_t from, size_t to,
		   const struct xp_live_map *with, size_t nr)
{
	size_t room = space->room;
	int err = vec_reserve_more(&space->at, space->nr, nr, &space->room, sizeof(*space->at));

	if (err)
		return err;
	maps->bytes += (space->room - room) * sizeof(*space->at);
	memmove(space->at + from + nr, space->at + to, (space->nr - to) * sizeof(*space->at));
	memcpy(space->at + from, with, nr * sizeof(*with));
	space->nr += nr - (to - from);
	return 0;
}

int xp_space_map(struct xp_live_maps *maps, struct xp_live_space *space, struct xp_live_map map,
		 bool was_there)
{
	enum { MOST = 3 }; /* before it, itself, after it */
	size_t from = first_behind(space, map.start), to = from, nr = 0;
	struct xp_live_map with[MOST], left[2];

	while (to < space->nr && space->at[to].start < map.end)
		to++;
	if (to == from && !map.is_executable)
		return 0;
	if (was_there && to > from)
		map.since_ns = maps->latest_ns;
	size_t nr_left = to > from ? leftovers(&space->at[from], &space->at[to - 1], map.start,
					       map.end, left)
				   : 0;

	if (nr_left && left[0].start < map.start)
		with[nr++] = left[0];
	with[nr++] = map;
	if (nr_left && left[nr_left - 1].start >= map.end)
		with[nr++] = left[nr_left - 1];
	for (size_t i = from; i < to; i++)
		remember(space, &space->at[i], map.since_ns);
	int err = replace(maps, space, from, to, with, nr);

	if (err)
		return err;
	space->state = ++maps->state;
	if (map.since_ns > space->changed_ns)
		space->changed_ns = map.since_ns;
	return 0;
}

bool xp_space_has(const struct xp_live_space *space, const struct xp_live_map *map)
{
	size_t at = first_behind(space, map->start);

	return at < space->nr && is_same(&space->at[at], map);
}

void xp_space_prune(struct xp_live_space *space, uint64_t before_ns)
{
	size_t nr_gone = 0;

	while (nr_gone < space->nr_past && space->past[nr_gone].until_ns < before_ns)
		nr_gone++;
	if (!nr_gone)
		return;
	space->nr_past -= nr_gone;
	memmove(space->past, space->past + nr_gone, space->nr_past * sizeof(*space->past));
}

static bool contains(const struct xp_live_map *map, uint64_t address)
{
	return map->start <= address && address < map->end;
}

bool xp_live_find(const struct xp_live_space *space, uint64_t time_ns, uint64_t address,
		  struct xp_live_map *ret_map)
{
	size_t at = first_behind(space, address);
	bool is_found = at < space->nr && contains(&space->at[at], address);

	if (!is_found || space->at[at].since_ns > time_ns) {
		for (size_t i = space->nr_past; i > 0; i--) {
			const struct past_map *past = &space->past[i - 1];

			if (contains(&past->map, address) && past->map.since_ns <= time_ns &&
			    time_ns < past->until_ns) {
				*ret_map = past->map;
				return true;
			}
		}
	}
	/* A sample can come a little before the record of its own map. */
	if (is_found)
		*ret_map = space->at[at];
	return is_found;
}
