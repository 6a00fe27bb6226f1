/* SPDX-License-Identifier: MIT */
/* Places of CPUs, kept in the context. */
#ifndef SYS_PLACE_H
#define SYS_PLACE_H

struct xp_places;

void xp_places_free(struct xp_places *places);

#endif
