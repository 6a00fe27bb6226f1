/* SPDX-License-Identifier: MIT */
/* A resolved profile as it is for others: the tree of all its call chains, and what has been
 * counted where in it. */
#include <errno.h>

#include "opts.h"
#include "profile-impl.h"

size_t xp_profile_nr_calls(const struct xp_profile *profile)
{
	return profile->first ? profile->calls.nr : 0;
}

int xp_profile_call_at(const struct xp_profile *profile, size_t idx,
		       struct xp_profile_call *ret_call)
{
	if (idx >= xp_profile_nr_calls(profile))
		return -EINVAL;
	const struct call *call = xp_table_at(&profile->calls, (uint32_t)idx);
	const struct xp_profile_call shown = {
		.parent = call->parent == NO_NODE ? -1 : (int64_t)call->parent,
		.location = profile->places[call->place],
		.place = call->place,
		.is_joined = call->is_joined,
		.is_cut = call->is_cut,
	};

	return XP_OUTPUT_COPY(ret_call, &shown, struct xp_profile_call, is_cut);
}

size_t xp_profile_nr_stacks(const struct xp_profile *profile)
{
	return profile->first ? profile->groups.nr : 0;
}

int xp_profile_stack_at(const struct xp_profile *profile, size_t idx,
			struct xp_profile_stack *ret_stack)
{
	if (idx >= xp_profile_nr_stacks(profile))
		return -EINVAL;
	const struct group *group = xp_table_at(&profile->groups, (uint32_t)idx);
	const struct xp_profile_stack shown = {
		.row = &profile->rows[group->row].shown,
		.call = group->chain == NO_NODE ? -1 : (int64_t)group->chain,
		.period = group->sum.period,
		.samples = group->sum.samples,
		.event = (int)group->event,
	};

	return XP_OUTPUT_COPY(ret_stack, &shown, struct xp_profile_stack, event);
}
