/* SPDX-License-Identifier: MIT */
/* The build ids a recording holds behind its records: HEADER_BUILD_ID records without a type. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>

#include "bytes.h"
#include "cleanup.h"
#include "swap.h"

/* One record of the feature, which is as the recorder wrote it. */
static int hand_out(const uint8_t *at, size_t size, bool swapped, xp_build_id_fn fn, void *fn_data)
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
	return fn(record, fn_data);
}

int xp_data_build_ids(const struct xp_data *data, xp_build_id_fn fn, void *fn_data)
{
	bool swapped = xp_data_is_swapped(data);
	size_t left = 0;
	const uint8_t *at = xp_data_feature(data, XP_FEATURE_BUILD_ID, &left);
	int err = 0;

	while (at && left > sizeof(struct xp_record_build_id) && !err) {
		size_t size = load_u16(at + 6, swapped);

		if (size <= sizeof(struct xp_record_build_id) || size > left)
			break;
		err = hand_out(at, size, swapped, fn, fn_data);
		at += size;
		left -= size;
	}
	return err;
}
