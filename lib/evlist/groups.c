/* SPDX-License-Identifier: MIT */
/*
 * Which events share a leader: those the user put in braces, and, if wished, software events that
 * stand alone. Those are always schedulable, so that joining them changes nothing but the number
 * of system calls that read them.
 */
#include <errno.h>
#include <stdlib.h>

#include "list-impl.h"

static bool is_joinable(const struct xp_evsel *evsel)
{
	return xp_evsel_is_software(evsel) && xp_evsel_group_size(evsel) == 1 &&
	       !evsel->attr.pinned && !evsel->attr.exclusive && !evsel->terms.cpus &&
	       !evsel->terms.inherit;
}

static struct xp_read_group *new_group(struct xp_evlist *evlist, int room)
{
	struct xp_read_group *group = &evlist->groups[evlist->nr_groups];

	*group = (struct xp_read_group){
		.members = calloc((size_t)room, sizeof(struct xp_evsel *)),
	};
	if (!group->members)
		return NULL;
	evlist->nr_groups++;
	return group;
}

/* The software events joined last that have the same cgroup and leave room for one more. */
static struct xp_read_group *joined_for(struct xp_evlist *evlist, const struct xp_evsel *evsel)
{
	for (int g = evlist->nr_groups; g-- > 0;) {
		struct xp_read_group *group = &evlist->groups[g];

		if (group->joined && group->members[0]->cgroup == evsel->cgroup)
			return group->nr < XP_JOINED_MAX ? group : NULL;
	}
	return NULL;
}

/* The group of the user's that an event belongs to. Its members stand together in the list; its
 * leader may be a tool event, which is in no group of the kernel's. */
static struct xp_read_group *group_of(struct xp_evlist *evlist, const struct xp_evsel *evsel)
{
	struct xp_read_group *last =
		evlist->nr_groups ? &evlist->groups[evlist->nr_groups - 1] : NULL;

	if (last && last->members[0]->leader == evsel->leader)
		return last;
	return new_group(evlist, evsel->leader->group_size);
}

static int place(struct xp_evlist *evlist, struct xp_evsel *evsel, bool join_software)
{
	bool joins = join_software && is_joinable(evsel);
	struct xp_read_group *group = joins ? joined_for(evlist, evsel) : group_of(evlist, evsel);

	if (joins && !group)
		group = new_group(evlist, XP_JOINED_MAX);
	if (!group)
		return -ENOMEM;
	group->joined = joins;
	group->members[group->nr++] = evsel;
	group->weak |= evsel->weak;
	return 0;
}

int xp_evlist_plan_groups(struct xp_evlist *evlist, bool join_software)
{
	/* One slot per event is enough even after groups are broken up. */
	evlist->groups = calloc((size_t)evlist->nr + 1, sizeof(*evlist->groups));
	if (!evlist->groups)
		return -ENOMEM;
	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];

		if (evsel->tool != XP_TOOL_NONE || evsel->by_bpf)
			continue;
		int err = place(evlist, evsel, join_software);
		if (err)
			return err;
	}
	return 0;
}

void xp_evlist_free_groups(struct xp_evlist *evlist)
{
	for (int g = 0; g < evlist->nr_groups; g++)
		free(evlist->groups[g].members);
	free(evlist->groups);
	evlist->groups = NULL;
	evlist->nr_groups = 0;
}

int xp_evlist_break_group(struct xp_evlist *evlist, int group_idx)
{
	struct xp_read_group *group = &evlist->groups[group_idx];
	for (int i = 1; i < group->nr; i++) {
		struct xp_read_group *single = new_group(evlist, 1);

		if (!single)
			return -ENOMEM;
		single->members[single->nr++] = group->members[i];
	}
	group->nr = 1;
	group->weak = false;
	return 0;
}
