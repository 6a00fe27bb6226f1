/* SPDX-License-Identifier: MIT */
/* What regions have counted, read by the program itself. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/evsel.h>
#include <xperf/regions.h>

#include "regions-impl.h"

struct walk {
	int nr_events;
	xp_region_fn fn;
	void *data;
	/* room for what is reported of a region */
	const char **path;
	int path_room;
	struct xp_count *counts;
	uint64_t *without_call;
};

static int depth_of(const struct xp_region *region)
{
	int depth = 0;

	for (; region->parent; region = region->parent)
		depth++;
	return depth;
}

static int report(struct walk *walk, const struct xp_region *region, pid_t tid)
{
	struct xp_region_info info = { .depth = depth_of(region),
				       .tid = tid,
				       .calls = xp_region_load(&region->calls),
				       .wall_ns = xp_region_load(&region->wall_ns),
				       .nr_events = walk->nr_events,
				       .counts = walk->counts,
				       .without_call = walk->without_call };

	if (info.depth > walk->path_room) {
		const char **path = reallocarray(walk->path, (size_t)info.depth * 2, sizeof(*path));

		if (!path)
			return -ENOMEM;
		walk->path = path;
		walk->path_room = info.depth * 2;
	}
	info.path = walk->path;
	for (int i = 0; i < walk->nr_events; i++) {
		const struct xp_region_sum *sum = &region->sums[i];

		walk->counts[i] =
			(struct xp_count){ .value = xp_region_load(&sum->value),
					   .enabled_ns = xp_region_load(&sum->enabled_ns),
					   .running_ns = xp_region_load(&sum->running_ns) };
		walk->without_call[i] = xp_region_load(&sum->without_call);
	}
	for (int at = info.depth; at-- > 0; region = region->parent)
		walk->path[at] = region->name;
	return walk->fn(&info, walk->data);
}

static int walk_tree(struct walk *walk, const struct xp_region *root, pid_t tid)
{
	int err = 0;

	for (const struct xp_region *r = xp_region_next_in_order(root); r && !err;
	     r = xp_region_next_in_order(r))
		if (xp_region_load(&r->calls))
			err = report(walk, r, tid);
	return err;
}

static int walk_total(struct walk *walk, struct xp_regions *regions)
{
	pthread_mutex_lock(&regions->lock);
	struct xp_region *total = xp_regions_total(regions);
	pthread_mutex_unlock(&regions->lock);
	int err = total ? walk_tree(walk, total, 0) : -ENOMEM;

	xp_region_free(total);
	return err;
}

/* What a thread has counted stays when it ends, and trees only grow: the lock is for the list. */
static const struct xp_region_thread *next_thread(struct xp_regions *regions,
						  const struct xp_region_thread *thread)
{
	const struct xp_region_thread *next;

	pthread_mutex_lock(&regions->lock);
	next = xp_region_counting(thread ? thread->next : regions->threads);
	pthread_mutex_unlock(&regions->lock);
	return next;
}

int xp_regions_walk(struct xp_regions *regions, bool by_thread, xp_region_fn fn, void *data)
{
	struct walk walk = { .fn = fn, .data = data };
	int err = 0;

	if (!*regions->here)
		return -EPERM;
	pthread_mutex_lock(&regions->lock);
	walk.nr_events = regions->nr_events;
	pthread_mutex_unlock(&regions->lock);
	if (!walk.nr_events)
		return 0;
	walk.counts = calloc((size_t)walk.nr_events, sizeof(*walk.counts));
	walk.without_call = calloc((size_t)walk.nr_events, sizeof(*walk.without_call));
	if (!walk.counts || !walk.without_call)
		err = -ENOMEM;
	else if (!by_thread)
		err = walk_total(&walk, regions);
	for (const struct xp_region_thread *t = by_thread ? next_thread(regions, NULL) : NULL;
	     t && !err; t = next_thread(regions, t))
		err = walk_tree(&walk, t->root, t->tid);
	free(walk.path);
	free(walk.counts);
	free(walk.without_call);
	return err;
}

const char *xp_regions_event_name(struct xp_regions *regions, int idx)
{
	const char *name = NULL;

	pthread_mutex_lock(&regions->lock);
	if (idx >= 0 && idx < regions->nr_events)
		name = regions->names[idx];
	pthread_mutex_unlock(&regions->lock);
	return name;
}

const char *xp_regions_event_reason(struct xp_regions *regions, int idx)
{
	const char *reason = NULL;

	pthread_mutex_lock(&regions->lock);
	if (idx >= 0 && idx < regions->nr_events)
		reason = regions->reasons[idx];
	pthread_mutex_unlock(&regions->lock);
	return reason ? reason : "";
}
