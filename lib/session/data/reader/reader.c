/* SPDX-License-Identifier: MIT */
/* What is known of a recording that is being read, and what was found wrong with it. */
#include "reader-impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "sample-bits.h"
#include "sample-owner.h"

static void report(struct xp_data *data, uint64_t offset, const char *fmt, va_list ap)
{
	struct xp_str text = { 0 };

	if (data->nr_damages < XP_DAMAGES_SHOWN) {
		if (*data->part_name)
			xp_str_addf(&text, "in %s ", data->part_name);
		xp_str_addf(&text, "at offset 0x%llx: ", (unsigned long long)offset);
		xp_str_addv(&text, fmt, ap);
		data->damages[data->nr_damages] = xp_str_detach(&text);
	}
	data->nr_damages++;
}

void xp_reader_report(struct xp_data *data, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!xp_reader_is_first_time(data))
		return;
	va_start(ap, fmt);
	report(data, offset, fmt, ap);
	va_end(ap);
}

void xp_reader_report_foreign(struct xp_data *data, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!xp_reader_is_first_time(data))
		return;
	va_start(ap, fmt);
	report(data, offset, fmt, ap);
	va_end(ap);
	data->nr_foreign++;
}

void xp_reader_report_now(struct xp_data *data, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(data, offset, fmt, ap);
	va_end(ap);
}

void xp_reader_adopt(struct xp_data *data, const struct xp_data *range)
{
	for (uint64_t i = 0; i < range->nr_damages; i++) {
		const char *text = xp_data_damage(range, (size_t)i);

		if (data->nr_damages < XP_DAMAGES_SHOWN && text)
			data->damages[data->nr_damages] = strdup(text);
		data->nr_damages++;
	}
}

const char *xp_data_damage(const struct xp_data *data, size_t idx)
{
	return idx < XP_DAMAGES_SHOWN ? data->damages[idx] : NULL;
}

uint64_t xp_data_nr_damages(const struct xp_data *data)
{
	return data->nr_damages;
}

uint64_t xp_data_nr_packed(const struct xp_data *data, uint32_t type)
{
	if (type != XP_RECORD_COMPRESSED && type != XP_RECORD_COMPRESSED2)
		return 0;
	return data->nr_packed[type == XP_RECORD_COMPRESSED2];
}

int xp_data_nr_events(const struct xp_data *data)
{
	return data->nr_events;
}

const struct xp_data_event *xp_data_event_at(const struct xp_data *data, int idx)
{
	return idx >= 0 && idx < data->nr_events ? &data->events[idx]->pub : NULL;
}

/* Where records say in their body which event they are about; 0: they do not. */
static size_t body_id(uint32_t type)
{
	switch (type) {
	case XP_RECORD_LOST:
	case XP_RECORD_STAT:
		return 8;
	case XP_RECORD_THROTTLE:
	case XP_RECORD_UNTHROTTLE:
	case XP_RECORD_EVENT_UPDATE:
		return 16;
	default:
		return 0;
	}
}

static const struct xp_attr *attr_at(const void *list, int event)
{
	const struct xp_data *data = list;

	return &data->events[event]->pub.attr;
}

/* The event of a sample whose id is not in the recording; -1: not known. */
static int find_owner(const struct xp_data *data, const struct xp_record *record)
{
	const struct xp_owners owners = { attr_at, data, data->nr_events, data->swapped };

	return record->type == XP_RECORD_SAMPLE ? xp_sample_owner(record, &owners) : -1;
}

/*
 * Where all events have the same place for the id, which every recorder sees to, the first one's
 * attribute has it.
 */
static __attribute__((noinline)) int find_event(const struct xp_data *data,
						const struct xp_record *record)
{
	uint64_t id = xp_sample_id_of(record, &data->events[0]->pub.attr);
	size_t at = body_id(record->type);

	if (!id && at && record->size >= at + sizeof(id))
		id = load_u64((const uint8_t *)record + at, false);
	int event = id ? xp_id_map_find(&data->ids, id) : 0;
	return event < 0 ? find_owner(data, record) : event;
}

int xp_data_event_of(const struct xp_data *data, const struct xp_record *record)
{
	return data->nr_events < 2 ? data->nr_events - 1 : find_event(data, record);
}

const void *xp_data_feature(const struct xp_data *data, enum xp_feature feature, size_t *ret_len)
{
	if ((int)feature < 0 || feature >= XP_FEATURE_MAX || !data->features[feature].at)
		return NULL;
	*ret_len = data->features[feature].len;
	return data->features[feature].at;
}

struct xp_data_layout xp_data_get_layout(const struct xp_data *data)
{
	return (struct xp_data_layout){
		.data_offset = data->data_offset,
		.data_size = data->data_size,
		.feature_offset = data->data_offset + data->data_size,
	};
}

bool xp_data_is_swapped(const struct xp_data *data)
{
	return data->swapped;
}

bool xp_data_is_stream(const struct xp_data *data)
{
	return data->stream;
}

uint64_t xp_data_offset(const struct xp_data *data)
{
	return data->offset;
}

uint64_t xp_data_position(const struct xp_data *data)
{
	return data->passed + data->offset;
}

bool xp_data_is_damaged(const struct xp_data *data)
{
	return data->nr_damages > data->nr_foreign;
}
