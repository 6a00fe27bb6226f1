/* SPDX-License-Identifier: MIT */
/* Reading a recording in the order of time: which records wait for others (order.c), and when. */
#include <errno.h>
#include <string.h>
#include <xperf/sample.h>

#include "opts.h"
#include "order.h"
#include "reader-impl.h"
#include "sample-bits.h"

/* More than a round of a recording needs that takes so much of a disk. Compressed records become
 * many times as long, those of a small file, which may be all alike, most of all. */
static uint64_t order_limit(uint64_t disk_bytes)
{
	enum { LEAST = 40 << 20, PACKED = 8, SMALL_PACKED = 64, SMALL_MOST = 256 << 20 };
	uint64_t limit = disk_bytes * SMALL_PACKED;

	limit = limit < SMALL_MOST ? limit : SMALL_MOST;
	limit = limit > LEAST ? limit : LEAST;
	return limit > disk_bytes * PACKED ? limit : disk_bytes * PACKED;
}

/* A stream and the files of a directory have no rounds that could be relied on. */
static size_t default_limit(const struct xp_data *data)
{
	uint64_t disk_bytes = data->main.disk_bytes;

	if (!data->main.file || data->directory || disk_bytes > UINT64_MAX / 64)
		return SIZE_MAX;
	uint64_t limit = order_limit(disk_bytes);
	return limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

int xp_data_set_order(struct xp_data *data, const struct xp_order_opts *opts)
{
	struct xp_order_opts o = { 0 };
	int err = XP_OPTS_COPY(&o, opts, struct xp_order_opts, data, NULL);

	if (err)
		return err;
	if (data->order)
		return -EBUSY;
	data->order_opts = o;
	return 0;
}

/* 0: it has none. */
static uint64_t time_of(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	uint64_t time_ns = event ? xp_sample_time_of(record, &event->attr) : XP_NO_TIME;

	return time_ns == XP_NO_TIME ? 0 : time_ns;
}

/* Reads one record. Returns 1: it is next, for it has no time and does not wait; 0: go on; -errno.
 */
static int read_one(struct xp_data *data, struct xp_ordered *ret_ordered)
{
	const struct xp_order_opts *opts = &data->order_opts;
	struct xp_ordered it;
	int kept, got = xp_data_next(data, &it.record, NULL);

	if (got <= 0) {
		data->order_ended = true;
		data->order_result = got;
		return xp_order_end(data->order);
	}
	data->order_nr++;
	kept = opts->keep ? opts->keep(it.record, opts->data) : 1;
	if (kept < 0)
		return kept;
	/* The files of a directory have rounds of their own. */
	if (it.record->type == XP_RECORD_FINISHED_ROUND)
		return data->directory ? 0 : xp_order_round(data->order);
	if (!kept)
		return 0;
	it.time_ns = time_of(data, it.record);
	it.position = xp_data_position(data);
	if (it.time_ns)
		return xp_order_add(data->order, it.record, it.time_ns, it.position);
	if (!xp_data_has_times(data))
		it.time_ns = data->order_nr;
	*ret_ordered = it;
	return 1;
}

int xp_data_next_ordered(struct xp_data *data, const struct xp_record **ret_record,
			 uint64_t *ret_time_ns, uint64_t *ret_position)
{
	const struct xp_order_opts *opts = &data->order_opts;
	struct xp_ordered it;
	int found;

	if (!data->order) {
		data->order =
			xp_order_new(opts->limit_bytes ? opts->limit_bytes : default_limit(data),
				     opts->ahead, opts->data);
		if (!data->order)
			return -ENOMEM;
	}
	do {
		found = xp_order_next(data->order, &it);
		if (!found && data->order_ended)
			return data->order_result;
		if (!found)
			found = read_one(data, &it);
	} while (!found);
	if (found < 0)
		return found;
	*ret_record = it.record;
	if (ret_time_ns)
		*ret_time_ns = it.time_ns;
	if (ret_position)
		*ret_position = it.position;
	return 1;
}

uint64_t xp_data_nr_late(const struct xp_data *data)
{
	return data->order ? xp_order_nr_late(data->order) : 0;
}

void xp_reader_forget_order(struct xp_data *data)
{
	xp_order_free(data->order);
	data->order = NULL;
	data->order_ended = false;
	data->order_result = 0;
	data->order_nr = 0;
}
