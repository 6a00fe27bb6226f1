/* SPDX-License-Identifier: MIT */
/*
 * What is counted for what: a slot for each cgroup, or each thread that was named, or one for all.
 * The programs add to the nearest cgroup only; what is below another one is added when it is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>

#include "cgroup.h"
#include "counter-impl.h"

static int slot_of_cgroup(const struct xp_bpf_counter *counter, const struct xp_cgroup *cgroup)
{
	for (int i = 0; i < counter->nr_slots; i++)
		if (counter->cgroups[i] == cgroup)
			return i;
	return NONE;
}

/* The nearest cgroup above that has a slot; its name may have dots and slashes of its own. */
static int find_parent(const struct xp_bpf_counter *counter, struct xp_ctx *ctx, int slot)
{
	uint64_t root = xp_cgroup_inode(ctx, "/"), inode = counter->cgroups[slot]->inode;
	char above[4096];
	size_t len = strlen(counter->cgroups[slot]->name);

	if (len >= sizeof(above))
		return NONE;
	memcpy(above, counter->cgroups[slot]->name, len + 1);
	while (inode && inode != root && len + sizeof("/..") <= sizeof(above)) {
		memcpy(above + len, "/..", sizeof("/.."));
		len += strlen("/..");
		inode = xp_cgroup_inode(ctx, above);
		for (int i = 0; i < counter->nr_slots; i++)
			if (inode && counter->cgroups[i]->inode == inode)
				return i;
	}
	return NONE;
}

/* Returns 0 or -ENOMEM. */
static int plan_cgroups(struct xp_bpf_counter *counter, struct xp_ctx *ctx)
{
	int nr = counter->nr_events;

	counter->cgroups = calloc((size_t)nr, sizeof(struct xp_cgroup *));
	counter->parents = calloc((size_t)nr, sizeof(*counter->parents));
	if (!counter->cgroups || !counter->parents)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		const struct xp_cgroup *cgroup = counter->events[i].evsel->cgroup;
		/* Events of a cgroup mostly stand together. */
		int slot = i && counter->cgroups[counter->events[i - 1].slot] == cgroup
				   ? counter->events[i - 1].slot
				   : slot_of_cgroup(counter, cgroup);

		if (slot == NONE) {
			slot = counter->nr_slots++;
			counter->cgroups[slot] = cgroup;
		}
		counter->events[i].slot = slot;
	}
	for (int i = 0; i < counter->nr_slots; i++)
		counter->parents[i] = find_parent(counter, ctx, i);
	return 0;
}

/* Which events of the list have a slot's count of a shared one. Returns 0 or -ENOMEM. */
static int index_events(struct xp_bpf_counter *counter)
{
	size_t nr = (size_t)counter->nr_slots * (size_t)xp_evlist_nr(counter->shared);

	counter->first = malloc(nr * sizeof(*counter->first));
	if (!counter->first)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		counter->first[i] = NONE;
	for (int i = counter->nr_events; i-- > 0;) {
		struct xp_bpf_counted *event = &counter->events[i];
		int *first = &counter->first[event->slot * xp_evlist_nr(counter->shared) +
					     event->shared];

		event->next = *first;
		*first = i;
	}
	return 0;
}

int xp_bpf_plan_slots(struct xp_bpf_counter *counter, struct xp_evlist *evlist,
		      struct xp_diag *diag)
{
	int err = 0;

	if (counts_cgroups(counter))
		err = plan_cgroups(counter, counter->events[0].evsel->ctx);
	else
		counter->nr_slots = xp_threads_nr(xp_evlist_threads(evlist));
	err = err ?: index_events(counter);
	return err ? xp_diag_set(diag, err, "Out of memory") : 0;
}
