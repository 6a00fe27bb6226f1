/* SPDX-License-Identifier: MIT */
/* Reading a recording in the order of time: which records wait for others (order.c), and when. */
#include <errno.h>
#include <string.h>
#include <xperf/sample.h>

#include "opts.h"
#include "order.h"
#include "reader-impl.h"
#include "sample-bits.h"

/* More than a recording of its size needs; a stream and the files of a directory have no rounds
 * that could be relied on. */
static size_t default_limit(const struct xp_data *data)
{
	enum { LEAST = 256 << 20, UNPACKED = 8 };
	uint64_t limit = data->main.limit;

	if (!data->main.file || data->directory || limit > SIZE_MAX / UNPACKED)
		return SIZE_MAX;
	return limit * UNPACKED < LEAST ? LEAST : (size_t)limit * UNPACKED;
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

/* Samples have the time after these fields. */
static uint64_t sample_time(const struct xp_record *record, const struct xp_attr *attr)
{
	uint64_t before = attr->sample_type & (XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID);
	size_t at = sizeof(*record) + (size_t)__builtin_popcountll(before) * sizeof(uint64_t);
	uint64_t time_ns;

	if (!(attr->sample_type & XP_SAMPLE_TIME) || at + sizeof(time_ns) > record->size)
		return XP_NO_TIME;
	memcpy(&time_ns, (const char *)record + at, sizeof(time_ns));
	return time_ns;
}

/* 0: it has none. */
static uint64_t time_of(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	struct xp_sample_id id = { .time_ns = XP_NO_TIME };

	if (!event)
		return 0;
	if (record->type == XP_RECORD_SAMPLE)
		id.time_ns = sample_time(record, &event->attr);
	else if (!event->attr.sample_id_all || xp_sample_id_decode(record, &event->attr, &id))
		return 0;
	return id.time_ns == XP_NO_TIME ? 0 : id.time_ns;
}

static bool has_times(const struct xp_data *data)
{
	for (int i = 0; i < data->nr_events; i++)
		if (data->events[i]->pub.attr.sample_type & XP_SAMPLE_TIME)
			return true;
	return false;
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
	if (!has_times(data))
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
