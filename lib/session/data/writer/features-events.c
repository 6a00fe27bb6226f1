/* SPDX-License-Identifier: MIT */
/* Features that describe the events. Source: perf.data-file-format.txt of perf. */
#include <errno.h>
#include <linux/perf_event.h>

#include "bytes.h"
#include "features.h"
#include "writer-impl.h"

int xp_feature_event_desc(const struct xp_feature_source *from, struct xp_str *out)
{
	size_t attr_size = 0;

	for (int i = 0; i < from->nr_events; i++) {
		size_t size = xp_attr_bytes(&from->events[i].attr);

		attr_size = size > attr_size ? size : attr_size;
	}
	add_u32(out, (uint32_t)from->nr_events);
	add_u32(out, (uint32_t)attr_size);
	for (int i = 0; i < from->nr_events; i++) {
		const struct xp_data_event *event = &from->events[i];

		xp_encode_attr(&event->attr, attr_size, out);
		add_u32(out, (uint32_t)event->nr_ids);
		add_feature_string(out, event->name);
		add_bytes(out, event->ids, event->nr_ids * sizeof(uint64_t));
	}
	return from->nr_events ? 0 : -ENOENT;
}

/* Members follow their leader. */
static int group_size(const struct xp_feature_source *from, int leader)
{
	int nr = 1;

	while (leader + nr < from->nr_events && from->events[leader + nr].leader == leader)
		nr++;
	return nr;
}

int xp_feature_group_desc(const struct xp_feature_source *from, struct xp_str *out)
{
	size_t start = out->len;
	uint32_t nr = 0;

	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < from->nr_events; i++) {
		const struct xp_data_event *event = &from->events[i];
		int size = group_size(from, i);

		if (event->leader != i || size < 2)
			continue;
		add_feature_string(out, event->group_name ? event->group_name : "{anon_group}");
		add_u32(out, (uint32_t)i);
		add_u32(out, (uint32_t)size);
		nr++;
	}
	set_u32(out, start, nr);
	return nr ? 0 : -ENOENT;
}

/* Of branches that are there for themselves, not as a part of the call chains. */
int xp_feature_branch_stack(const struct xp_feature_source *from, struct xp_str *out)
{
	(void)out;
	for (int i = 0; i < from->nr_events; i++) {
		const struct xp_attr *attr = &from->events[i].attr;
		bool is_chain = attr->sample_type & XP_SAMPLE_CALLCHAIN &&
				attr->branch_sample_type & XP_BRANCH_CALL_STACK;

		if (attr->sample_type & XP_SAMPLE_BRANCH_STACK && !is_chain)
			return 0;
	}
	return -ENOENT;
}
