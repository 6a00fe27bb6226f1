/* SPDX-License-Identifier: MIT */
/* Which event an id belongs to: open addressing, at most half full. */
#include "id-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

static struct xp_id_slot *slot_of(const struct xp_id_map *map, uint64_t id)
{
	size_t at = (size_t)xp_hash_word(map->seed, id) & (map->room - 1);

	while (map->slots[at].used && map->slots[at].id != id)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

static int grow(struct xp_id_map *map)
{
	struct xp_id_map larger = { .nr = map->nr,
				    .room = map->room ? map->room * 2 : 64,
				    .seed = map->room ? map->seed : xp_hash_seed() };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].used)
			*slot_of(&larger, map->slots[i].id) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

int xp_id_map_add(struct xp_id_map *map, uint64_t id, int idx)
{
	int err = map->nr * 2 >= map->room ? grow(map) : 0;

	if (err)
		return err;
	struct xp_id_slot *slot = slot_of(map, id);
	if (!slot->used) {
		*slot = (struct xp_id_slot){ id, idx, true };
		map->nr++;
	}
	return 0;
}

int xp_id_map_find(const struct xp_id_map *map, uint64_t id)
{
	if (!map->room)
		return -1;
	const struct xp_id_slot *slot = slot_of(map, id);
	return slot->used ? slot->idx : -1;
}

int xp_id_map_copy(const struct xp_id_map *map, struct xp_id_map *copy)
{
	struct xp_id_slot *slots = calloc(map->room ? map->room : 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	if (map->room)
		memcpy(slots, map->slots, map->room * sizeof(*slots));
	*copy = *map;
	copy->slots = slots;
	return 0;
}

void xp_id_map_fini(struct xp_id_map *map)
{
	free(map->slots);
	*map = (struct xp_id_map){ 0 };
}
