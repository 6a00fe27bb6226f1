/* SPDX-License-Identifier: MIT */
/*
 * What the events of a reading have counted: in samples, in READ records, and as read(2) gives it.
 *
 * Source: perf_event_open(2), "Reading results" and PERF_RECORD_READ.
 */
#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/sample.h>

#include "sample-bits.h"

int xp_reading_decode(const uint64_t *words, size_t nr_words, uint64_t read_format,
		      struct xp_reading *ret_reading)
{
	struct xp_reading reading = { .nr = 1, .words = words, .read_format = read_format };
	const uint64_t *time = words + 1;

	if (!xp_sample_read_words(read_format, words, nr_words))
		return -EBADMSG;
	if (read_format & XP_FORMAT_GROUP)
		reading.nr = (size_t)words[0];
	if (read_format & XP_FORMAT_TOTAL_TIME_ENABLED)
		reading.enabled_ns = *time++;
	if (read_format & XP_FORMAT_TOTAL_TIME_RUNNING)
		reading.running_ns = *time;
	*ret_reading = reading;
	return 0;
}

int xp_reading_value(const struct xp_reading *reading, size_t idx, struct xp_read_value *ret_value)
{
	uint64_t format = reading->read_format;
	bool has_id = format & XP_FORMAT_ID, has_lost = format & XP_FORMAT_LOST;
	size_t times = !!(format & XP_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & XP_FORMAT_TOTAL_TIME_RUNNING);
	const uint64_t *value = reading->words, *more;

	if (idx >= reading->nr)
		return -EINVAL;
	if (format & XP_FORMAT_GROUP) {
		value += 1 + times + idx * ((size_t)1 + has_id + has_lost);
		more = value + 1;
	} else {
		more = value + 1 + times;
	}
	*ret_value = (struct xp_read_value){ .value = *value,
					     .id = has_id ? more[0] : 0,
					     .lost = has_lost ? more[has_id] : 0 };
	return 0;
}

int xp_read_decode(const struct xp_record *record, const struct xp_attr *attr, int32_t *ret_pid,
		   int32_t *ret_tid, struct xp_reading *ret_reading)
{
	const struct {
		struct xp_record header;
		int32_t pid, tid;
		uint64_t words[];
	} *read = (const void *)record;
	size_t around = sizeof(*read) + xp_sample_id_bytes(attr);

	if (record->type != XP_RECORD_READ || record->size < around)
		return -EBADMSG;
	int err = xp_reading_decode(read->words, (record->size - around) / WORD, attr->read_format,
				    ret_reading);
	if (err)
		return err;
	*ret_pid = read->pid;
	*ret_tid = read->tid;
	return 0;
}
