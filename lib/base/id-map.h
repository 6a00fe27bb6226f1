/* SPDX-License-Identifier: MIT */
/* Which event an id belongs to: a hash table from u64 to small numbers. */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include <xperf/api.h>

struct xp_id_slot {
	uint64_t id;
	int idx;
	bool used;
};

/* Zero-initialised is empty; free with xp_id_map_fini(). */
struct xp_id_map {
	struct xp_id_slot *slots;
	size_t nr, room; /* room: 0 or a power of two */
	uint64_t seed;
};

/* The first one to claim an id keeps it. Returns 0 or -ENOMEM. */
int xp_id_map_add(struct xp_id_map *map, uint64_t id, int idx);
/* Makes @copy, empty before, the same. Returns 0 or -ENOMEM. */
int xp_id_map_copy(const struct xp_id_map *map, struct xp_id_map *copy);
/* Returns -1 for an id that nobody has. */
int xp_id_map_find(const struct xp_id_map *map, uint64_t id);
void xp_id_map_fini(struct xp_id_map *map);

#endif
