/* SPDX-License-Identifier: MIT */
/* The side band of a whole recording, and the build ids it holds, into a timeline. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/resolve.h>

#include "bytes.h"
#include "cleanup.h"
#include "swap.h"

/* Whether the kernel has written it: it has a trailer then. */
static bool is_kernels(const struct xp_record *record)
{
	return record->type < XP_RECORD_HEADER_ATTR;
}

static int add(struct xp_timeline *timeline, const struct xp_data *data,
	       const struct xp_record *record)
{
	struct xp_sample_id id = { -1, -1, XP_NO_TIME, 0, 0, -1 };
	const struct xp_data_event *event = NULL;

	if (is_kernels(record))
		event = xp_data_event(data, xp_data_event_of(data, record));
	if (event && xp_sample_id_decode(record, &event->attr, &id))
		return 0;
	return xp_timeline_add(timeline, record, &id);
}

/* One record of the feature, which is as the recorder wrote it. */
static int add_build_id(struct xp_timeline *timeline, const uint8_t *at, size_t size, bool swapped)
{
	/* its name ends, whatever the file has */
	xp_auto_free struct xp_record_build_id *record = calloc(1, size + sizeof(uint64_t));

	if (!record)
		return -ENOMEM;
	memcpy(record, at, size);
	record->header = (struct xp_record){ .type = XP_RECORD_HEADER_BUILD_ID,
					     .misc = load_u16(at + 4, swapped),
					     .size = (uint16_t)size };
	record->pid = (int32_t)load_u32(at + offsetof(struct xp_record_build_id, pid), swapped);
	return xp_timeline_set_build_id(timeline, record);
}

static int add_build_ids(struct xp_timeline *timeline, const struct xp_data *data)
{
	bool swapped = xp_data_is_swapped(data);
	size_t left = 0;
	const uint8_t *at = xp_data_feature(data, XP_FEATURE_BUILD_ID, &left);
	int err = 0;

	while (at && left > sizeof(struct xp_record_build_id) && !err) {
		size_t size = load_u16(at + 6, swapped);

		if (size <= sizeof(struct xp_record_build_id) || size > left)
			break;
		err = add_build_id(timeline, at, size, swapped);
		at += size;
		left -= size;
	}
	return err;
}

int xp_timeline_load(struct xp_timeline *timeline, struct xp_data *data, xp_record_fn fn,
		     void *fn_data)
{
	const struct xp_record *record;
	int got, err = 0;

	while (!err && (got = xp_data_next(data, &record, NULL)) > 0) {
		if (record->type != XP_RECORD_SAMPLE)
			err = add(timeline, data, record);
		if (!err && fn)
			err = fn(record, fn_data);
	}
	if (!err)
		err = got;
	if (!err)
		err = add_build_ids(timeline, data);
	int sealed = xp_timeline_seal(timeline);
	return err ? err : sealed;
}
