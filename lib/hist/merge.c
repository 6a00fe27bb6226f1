/* SPDX-License-Identifier: MIT */
/*
 * One profile added to another. Entries come in the order in which they were met; so profiles of
 * one part of a recording after the other, merged in the order of the parts, give what one profile
 * of the whole gives, the order of everything included.
 */
#include <errno.h>
#include <stdlib.h>

#include "profile-impl.h"

static int merge_spaces(struct xp_profile *profile, const struct xp_profile *other,
			uint32_t *spaces)
{
	for (uint32_t i = 0; i < other->spaces.nr; i++) {
		const struct space *space = xp_table_at(&other->spaces, i);

		if (xp_profile_space(profile, space->pid, space->time_ns, &spaces[i]))
			return -ENOMEM;
	}
	return 0;
}

static int merge_nodes(struct xp_profile *profile, const struct xp_profile *other,
		       const uint32_t *spaces, uint32_t *nodes)
{
	for (uint32_t i = 0; i < other->nodes.nr; i++) {
		struct node node = *(const struct node *)xp_table_at(&other->nodes, i);

		if (node.parent != NO_NODE)
			node.parent = nodes[node.parent];
		if (node.mode & MODE_SPACE)
			node.ip = spaces[node.ip];
		if (xp_table_intern_sized(&profile->nodes, &node, sizeof(node), &nodes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int merge_whos(struct xp_profile *profile, const struct xp_profile *other, uint32_t *whos)
{
	for (uint32_t i = 0; i < other->whos.nr; i++)
		if (xp_table_intern(&profile->whos, xp_table_at(&other->whos, i), &whos[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int merge_raws(struct xp_profile *profile, const struct xp_profile *other,
		      const uint32_t *spaces, const uint32_t *nodes, const uint32_t *whos)
{
	for (uint32_t i = 0; i < other->raws.nr; i++) {
		struct raw raw = *(const struct raw *)xp_table_at(&other->raws, i);
		uint32_t nr;

		raw.who = whos[raw.who];
		raw.space = spaces[raw.space];
		if (raw.chain != NO_NODE)
			raw.chain = nodes[raw.chain];
		if (xp_table_intern_sized(&profile->raws, &raw, offsetof(struct raw, sum), &nr) < 0)
			return -ENOMEM;
		struct raw *known = xp_table_at(&profile->raws, nr);
		xp_sum_add(&known->sum, &raw.sum);
	}
	return 0;
}

int xp_profile_merge(struct xp_profile *profile, struct xp_profile *other)
{
	if (profile->is_resolved || other->is_resolved)
		return -EBUSY;
	xp_profile_start(profile);
	if (xp_profile_flush(profile) || xp_profile_flush(other))
		return -ENOMEM;
	uint32_t *spaces = calloc((size_t)other->spaces.nr + 1, sizeof(*spaces));
	uint32_t *nodes = calloc((size_t)other->nodes.nr + 1, sizeof(*nodes));
	uint32_t *whos = calloc((size_t)other->whos.nr + 1, sizeof(*whos));
	int err = spaces && nodes && whos ? merge_spaces(profile, other, spaces) : -ENOMEM;

	if (!err)
		err = merge_nodes(profile, other, spaces, nodes);
	if (!err)
		err = merge_whos(profile, other, whos);
	if (!err)
		err = merge_raws(profile, other, spaces, nodes, whos);
	for (int i = 0; !err && i < profile->opts.nr_events; i++) {
		profile->totals[i].samples += other->totals[i].samples;
		profile->totals[i].period += other->totals[i].period;
		profile->totals[i].truncated_samples += other->totals[i].truncated_samples;
	}
	free(spaces);
	free(nodes);
	free(whos);
	return err;
}
