/* SPDX-License-Identifier: MIT */
/* The side band of a whole recording, and the build ids it holds, into a timeline. */
#include <xperf/data.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "timeline-impl.h"

/* Whether the kernel has written it: it has a trailer then. */
static bool is_kernels(const struct xp_record *record)
{
	return record->type < XP_RECORD_HEADER_ATTR;
}

/* @nr: of the record, from 1 */
static int add(struct xp_timeline *timeline, const struct xp_data *data,
	       const struct xp_record *record, uint64_t nr)
{
	struct xp_sample_id id = { -1, -1, XP_NO_TIME, 0, 0, -1 };
	const struct xp_data_event *event = NULL;

	if (is_kernels(record))
		event = xp_data_event_at(data, xp_data_event_of(data, record));
	if (event && xp_sample_id_decode(record, &event->attr, &id))
		return 0;
	if (id.time_ns == XP_NO_TIME && !xp_data_has_times(data))
		id.time_ns = nr;
	return xp_timeline_add_at(timeline, record, &id, xp_data_position(data));
}

static int set_build_id(const struct xp_record_build_id *record, void *data)
{
	return xp_timeline_set_build_id(data, record);
}

int xp_timeline_load(struct xp_timeline *timeline, struct xp_data *data, xp_record_fn fn,
		     void *fn_data)
{
	const struct xp_record *record;
	int got, err = 0;

	for (uint64_t nr = 1; !err && (got = xp_data_next(data, &record, NULL)) > 0; nr++) {
		if (record->type != XP_RECORD_SAMPLE)
			err = add(timeline, data, record, nr);
		if (!err && fn)
			err = fn(record, fn_data);
	}
	if (!err)
		err = got;
	if (!err)
		err = xp_data_build_ids(data, set_build_id, timeline);
	int sealed = xp_timeline_seal(timeline);
	return err ? err : sealed;
}
