/* SPDX-License-Identifier: MIT */
/* What the kernel writes wrong in records, made right before anybody looks at them. */
#include <xperf/attr.h>
#include <xperf/record.h>

#include "recorder-impl.h"
#include "sample-owner.h"

static const struct xp_attr *attr_at(const void *list, int event)
{
	const struct xp_shed *shed = list;

	return shed->events[event].attr;
}

static void own_sample(const struct xp_shed *shed, struct xp_record *record)
{
	const struct xp_owners owners = { attr_at, shed, shed->nr_events, false };
	int owner = xp_shed_event_of(shed, record) ? -1 : xp_sample_owner(record, &owners);

	if (owner >= 0)
		xp_sample_set_id(record, shed->events[owner].attr, shed->events[owner].id);
}

void xp_shed_own_samples(const struct xp_shed *shed, char *records, size_t len)
{
	if (!shed->share_ids)
		return;
	for (size_t at = 0; len - at >= sizeof(struct xp_record);) {
		struct xp_record *record = (void *)(records + at);

		if (record->size < sizeof(*record) || record->size % 8 || record->size > len - at)
			return;
		if (record->type == XP_RECORD_SAMPLE)
			own_sample(shed, record);
		at += record->size;
	}
}

/*
 * While someone else records with build ids, the kernel sets the bit for them in the records of
 * all, where the inode stays in their place. Source: measured, Linux 6.18.
 */
void xp_shed_clear_build_ids(const struct xp_shed *shed, char *records, size_t len)
{
	struct xp_record *record;

	for (int i = 0; i < shed->nr_events; i++)
		if (shed->events[i].attr->build_id)
			return;
	for (size_t at = 0; at < len; at += record->size) {
		record = (void *)(records + at);
		if (record->type == XP_RECORD_MMAP2)
			record->misc &= (uint16_t)~XP_MISC_MMAP_BUILD_ID;
	}
}
