/* SPDX-License-Identifier: MIT */
/* Regions within regions: found by name, appended so that a reader needs no lock. */
#include <stdlib.h>
#include <string.h>

#include "regions-impl.h"

struct xp_region *xp_region_root(int nr_events)
{
	return calloc(1,
		      sizeof(struct xp_region) + (size_t)nr_events * sizeof(struct xp_region_sum));
}

struct xp_region *xp_region_within(struct xp_region *parent, const char *name, int nr_events)
{
	struct xp_region *region;

	for (region = parent->first; region; region = region->next)
		if (!strcmp(region->name, name))
			return region;
	region = xp_region_root(nr_events);
	if (!region)
		return NULL;
	region->parent = parent;
	region->name = strdup(name);
	if (!region->name) {
		free(region);
		return NULL;
	}
	__atomic_store_n(parent->last ? &parent->last->next : &parent->first, region,
			 __ATOMIC_RELEASE);
	parent->last = region;
	return region;
}

/* Regions nest as deep as the program does: no recursion. */
void xp_region_free(struct xp_region *region)
{
	while (region) {
		struct xp_region *first = region->first, *up = region->parent;

		if (first) {
			region->first = first->next;
			region = first;
			continue;
		}
		free(region->name);
		free(region);
		region = up;
	}
}
