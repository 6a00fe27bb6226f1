/* SPDX-License-Identifier: MIT */
/* What processes write down of the code that they make, while they are recorded: jit-PID.dump. */
#ifndef SESSION_LIVE_DUMPS_H
#define SESSION_LIVE_DUMPS_H

#include "live-maps.h"

/* A map of a space is new: if it is of a dump, the space has this one from now on. Returns 0 or
 * -ENOMEM. */
int xp_live_note_dump(struct xp_live_maps *maps, struct xp_live_space *space,
		      const struct xp_live_map *map, int32_t pid);
/*
 * Reads what was added to the dumps of all processes, and opens new ones.
 * @is_monotonic: times of records are those of CLOCK_MONOTONIC
 */
void xp_live_read_dumps(struct xp_live_maps *maps, struct xp_unwind *unwind, bool is_monotonic);
/*
 * The code at an address that a dump describes.
 * @map: what is mapped there; NULL: nothing is known
 * Returns false: there is none.
 */
bool xp_live_find_made(const struct xp_live_maps *maps, const struct xp_live_space *space,
		       const struct xp_live_map *map, uint64_t address, uint64_t time_ns,
		       struct xp_unwind_map *ret_map);

#endif
