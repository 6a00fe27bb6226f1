/* SPDX-License-Identifier: MIT */
/* What samples add to the sums of a row: its own, and those of what it called. */
#include "profile-impl.h"

/* Which part of a period it is. Of a hypervisor, and of nobody known: none. */
static int part_of(uint32_t mode)
{
	static const int parts[XP_MISC_CPUMODE_MASK + 1] = {
		[XP_MISC_KERNEL] = XP_PART_SYS + 1,
		[XP_MISC_USER] = XP_PART_USER + 1,
		[XP_MISC_GUEST_KERNEL] = XP_PART_GUEST_SYS + 1,
		[XP_MISC_GUEST_USER] = XP_PART_GUEST_USER + 1,
	};

	return parts[mode & XP_MISC_CPUMODE_MASK] - 1;
}

static void add_own(struct xp_profile_sum *sum, const struct raw *raw, uint64_t latency)
{
	int part = part_of(raw->mode);

	sum->period += raw->sum.period;
	sum->samples += raw->sum.samples;
	sum->latency += latency;
	if (part >= 0)
		sum->parts[part] += raw->sum.period;
}

static void add_numbers(const struct xp_profile *profile, struct row *row, const struct raw *raw,
			uint64_t latency)
{
	const struct xp_profile_opts *opts = &profile->opts;
	const struct who *who = xp_table_at(&profile->whos, raw->who);
	struct xp_profile_sum sum = { 0 };

	add_own(&sum, raw, latency);
	opts->add_numbers(who->tag, &sum, row->numbers, opts->tag_data);
}

bool xp_row_shows(const struct xp_profile *profile, const struct row *row, uint32_t event)
{
	return !row->members || event == row->event || profile->opts.group_leader == XP_GROUP_SUM;
}

void xp_row_charge(const struct xp_profile *profile, struct row *row, uint32_t event,
		   const struct raw *raw, uint64_t latency)
{
	if (row->members)
		add_own(&row->members[event - row->event], raw, latency);
	if (!xp_row_shows(profile, row, event))
		return;
	add_own(&row->shown.sum, raw, latency);
	if (row->numbers)
		add_numbers(profile, row, raw, latency);
}

uint32_t xp_profile_row_tag(const struct xp_profile *profile, uint32_t tag)
{
	const struct xp_profile_opts *opts = &profile->opts;

	return opts->row_tag ? opts->row_tag(tag, opts->tag_data) : tag;
}

uint64_t xp_profile_latency(const struct xp_profile *profile, uint32_t tag, uint64_t period)
{
	const struct xp_profile_opts *opts = &profile->opts;

	return opts->latency ? opts->latency(tag, period, opts->tag_data) : 0;
}

void xp_sum_charge(struct xp_profile_sum *sum, const struct group *group)
{
	sum->children_period += group->sum.period;
	sum->children_latency += group->latency;
}
