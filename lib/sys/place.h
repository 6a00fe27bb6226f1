/* SPDX-License-Identifier: MIT */
/* Places of CPUs, kept in the context. */
#ifndef SYS_PLACE_H
#define SYS_PLACE_H

#include <xperf/cpus.h>

struct xp_places;

void xp_places_free(struct xp_places *places);

/*
 * Where a CPU sits, read once and kept in the context.
 * Returns 0, -ENOMEM, -EMFILE, -ENFILE, or -EINVAL (@cpu is -1, or larger than any kernel numbers
 * them).
 */
int xp_place_of(struct xp_ctx *ctx, struct xp_cpu cpu, struct xp_place *ret_place);

/*
 * The same, with the cache of a level instead of the last level's; not kept. 0: the last level.
 * What the CPU does not have is {level, -1}.
 */
int xp_place_by_cache(struct xp_ctx *ctx, struct xp_cpu cpu, int level, struct xp_place *ret_place);

#endif
