/* SPDX-License-Identifier: MIT */
/* Regions within regions: found by name, appended so that a reader needs no lock. */
#include <errno.h>
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

struct xp_region *xp_region_next_in_order(const struct xp_region *region)
{
	struct xp_region *next = xp_region_next(&region->first);

	while (!next && region->parent) {
		next = xp_region_next(&region->next);
		region = region->parent;
	}
	return next;
}

/* The region of @total that is where @region is; made with all it is within. */
static struct xp_region *place_in(struct xp_region *total, const struct xp_region *region,
				  int nr_events)
{
	struct xp_region *within =
		region->parent->parent ? place_in(total, region->parent, nr_events) : total;

	return within ? xp_region_within(within, region->name, nr_events) : NULL;
}

static int add_thread(struct xp_region *total, const struct xp_region_thread *thread, int nr_events)
{
	for (const struct xp_region *r = xp_region_next_in_order(thread->root); r;
	     r = xp_region_next_in_order(r)) {
		struct xp_region *sum = place_in(total, r, nr_events);

		if (!sum)
			return -ENOMEM;
		sum->calls += xp_region_load(&r->calls);
		sum->wall_ns += xp_region_load(&r->wall_ns);
		for (int i = 0; i < nr_events; i++) {
			sum->sums[i].value += xp_region_load(&r->sums[i].value);
			sum->sums[i].enabled_ns += xp_region_load(&r->sums[i].enabled_ns);
			sum->sums[i].running_ns += xp_region_load(&r->sums[i].running_ns);
			sum->sums[i].without_call += xp_region_load(&r->sums[i].without_call);
		}
	}
	return 0;
}

const struct xp_region_thread *xp_region_counting(const struct xp_region_thread *thread)
{
	while (thread && thread->err)
		thread = thread->next;
	return thread;
}

struct xp_region *xp_regions_total(const struct xp_regions *regions)
{
	struct xp_region *total = xp_region_root(regions->nr_events);
	int err = total ? 0 : -ENOMEM;

	for (const struct xp_region_thread *t = xp_region_counting(regions->threads); t && !err;
	     t = xp_region_counting(t->next))
		err = add_thread(total, t, regions->nr_events);
	if (!err)
		return total;
	xp_region_free(total);
	return NULL;
}
