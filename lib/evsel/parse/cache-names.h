/* SPDX-License-Identifier: MIT */
/* Names of the generic cache events: CACHE[-OPERATION][-RESULT]. */
#ifndef EVSEL_CACHE_NAMES_H
#define EVSEL_CACHE_NAMES_H

#include "source.h"

struct xp_names;

/*
 * Reads a name like "L1-dcache-load-misses".
 * Returns 1 with *ret_config written, 0 (not a cache event), or -EINVAL (no such combination;
 * the complaint is made).
 */
int xp_cache_name_parse(const struct xp_source *source, struct xp_span name, uint64_t *ret_config);

/* Adds the usual spelling of every combination there is. Returns 0 or -ENOMEM. */
int xp_cache_names_list(struct xp_names *names);

#endif
