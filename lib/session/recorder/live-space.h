/* SPDX-License-Identifier: MIT */
/* One address space and what was mapped in it a moment ago, as live-maps.c keeps it. */
#ifndef SESSION_LIVE_SPACE_H
#define SESSION_LIVE_SPACE_H

#include "live-maps.h"

/* A map that is gone. */
struct past_map {
	struct xp_live_map map;
	uint64_t until_ns;
};

struct xp_live_space {
	size_t refs;
	uint64_t state;      /* xp_live_maps.state of the last change */
	uint64_t changed_ns; /* its time */
	struct xp_live_map *at;
	size_t nr, room;
	struct past_map *past; /* in the order in which they went */
	size_t nr_past, past_room;
	int dump; /* of the code that is made in it, plus 1; 0: none */
};

/* An empty one, with one reference. NULL on out of memory. */
struct xp_live_space *xp_space_new(struct xp_live_maps *maps, uint64_t time_ns);
void xp_space_unref(struct xp_live_maps *maps, struct xp_live_space *space);
/* The same for one process alone. NULL on out of memory. */
struct xp_live_space *xp_space_clone(struct xp_live_maps *maps, const struct xp_live_space *from);
/*
 * Maps something over what is there.
 * @was_there: it was mapped before, since when is not known
 * Returns 0 or -ENOMEM.
 */
int xp_space_map(struct xp_live_maps *maps, struct xp_live_space *space, struct xp_live_map map,
		 bool was_there);
/* Its code is in a dump from now on. @dump: plus 1 */
void xp_space_set_dump(struct xp_live_maps *maps, struct xp_live_space *space, int dump);
/* Whether this very map is there. */
bool xp_space_has(const struct xp_live_space *space, const struct xp_live_map *map);
/* Forgets what was gone before a time. */
void xp_space_prune(struct xp_live_space *space, uint64_t before_ns);

#endif
