/* SPDX-License-Identifier: MIT */
/* The second pass over a recording: its samples, decoded, and their names. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "readings.h"
#include "recording.h"

int recording_rewind(struct recording *rec)
{
	rec->nr = 0;
	readings_free(rec->readings);
	rec->readings = NULL;
	return xp_data_rewind(rec->data);
}

/* More than a recording that takes so much of a disk needs. */
static size_t order_limit(uint64_t disk_bytes)
{
	enum { MIN = 256 << 20, PACKED = 8 };
	size_t limit = (size_t)disk_bytes * PACKED;

	return limit < MIN ? MIN : limit;
}

int recording_rewind_ordered(struct recording *rec, const struct xp_order_opts *opts)
{
	struct xp_order_opts limited = *opts;
	int err = recording_rewind(rec);

	if (rec->disk_bytes)
		limited.limit_bytes = order_limit(rec->disk_bytes);
	return err ? err : xp_data_set_order(rec->data, &limited);
}

void recording_report_late(const struct recording *rec)
{
	uint64_t nr_late = xp_data_nr_late(rec->data);

	if (nr_late)
		fprintf(stderr,
			"Warning: %" PRIu64
			" records are not in time order: more than %zu MiB of records came "
			"without the end of a round\n",
			nr_late, order_limit(rec->disk_bytes) >> 20);
}

int recording_next(struct recording *rec, const struct xp_record **ret_record)
{
	int more = xp_data_next(rec->data, ret_record, NULL);

	rec->nr += more > 0;
	progress_step(rec);
	return more;
}

int recording_event_of(const struct recording *rec, const struct xp_record *record)
{
	int event = xp_data_event_of(rec->data, record);

	return event < rec->nr_events ? event : -1;
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

uint64_t recording_time(const struct recording *rec, const struct xp_record *record)
{
	const struct xp_data_event *event =
		xp_data_event_at(rec->data, xp_data_event_of(rec->data, record));
	struct xp_sample_id id = { .time_ns = XP_NO_TIME };

	if (rec->without_times)
		return rec->nr;
	if (event && record->type == XP_RECORD_SAMPLE)
		return sample_time(record, &event->attr);
	if (event && event->attr.sample_id_all && record->type < XP_RECORD_HEADER_ATTR)
		xp_sample_id_decode(record, &event->attr, &id);
	return id.time_ns;
}

uint64_t recording_moment(const struct recording *rec, uint64_t time_ns)
{
	return xp_timeline_moment(rec->timeline, time_ns, xp_data_position(rec->data));
}

int recording_decode(struct recording *rec, const struct xp_record *record, uint64_t time_ns,
		     uint64_t position, struct recorded *ret_recorded)
{
	int event = recording_event_of(rec, record);
	struct xp_sample *sample = &ret_recorded->sample;

	if (event < 0)
		return 0;
	sample->size = sizeof(*sample);
	ret_recorded->event = event;
	ret_recorded->attr = &xp_data_event_at(rec->data, event)->attr;
	ret_recorded->is_cut = xp_sample_decode(record, ret_recorded->attr, sample);
	ret_recorded->time_ns = rec->without_times ? time_ns : sample->id.time_ns;
	if (xp_sample_use_lbr(sample, ret_recorded->attr, &rec->lbr) ||
	    xp_timeline_join(rec->timeline, sample->id.tid, ret_recorded->time_ns, &rec->joined,
			     &sample->callchain, &sample->nr_callchain))
		return -ENOMEM;
	if (ret_recorded->time_ns != XP_NO_TIME)
		sample->id.time_ns =
			xp_timeline_moment(rec->timeline, ret_recorded->time_ns, position);
	return 1;
}

const char *recording_comm(const struct recording *rec, const struct recorded *recorded)
{
	const struct xp_sample_id *id = &recorded->sample.id;

	return xp_timeline_comm_at(rec->timeline, id->pid, id->tid, id->time_ns);
}

int recording_frame(struct recording *rec, const struct recorded *recorded, uint16_t cpumode,
		    uint64_t ip, struct xp_frame *ret_frame)
{
	const struct xp_sample_id *id = &recorded->sample.id;

	ret_frame->size = sizeof(*ret_frame);
	return xp_resolver_frame(rec->resolver, id->pid, cpumode, ip, false, id->time_ns,
				 ret_frame);
}

int recording_passes(struct recording *rec, const struct recorded *recorded)
{
	const struct sample_filter *filter = &rec->filter;
	const struct xp_sample_id *id = &recorded->sample.id;
	struct xp_frame frame;

	if (!sample_filter_pass(filter, recorded->event, id->cpu, recorded->time_ns))
		return 0;
	if (rec->opts->filter_rows)
		return 1;
	const char *comm = filter->comms.text ? recording_comm(rec, recorded) : NULL;
	if (!sample_filter_pass_task(filter, id->pid, id->tid, comm))
		return 0;
	if (!sample_filter_has_places(filter))
		return 1;
	if (recording_frame(rec, recorded, recorded_mode(recorded), recorded->sample.ip, &frame))
		return -ENOMEM;
	return sample_filter_pass_frame(filter, &frame);
}

/* A sample that its reading stands for several of. */
struct split {
	struct recording *rec;
	const struct recorded *recorded;
	int (*fn)(struct recorded *recorded, void *data);
	void *data;
};

static int split_one(int event, const struct xp_sample *sample, void *data)
{
	const struct split *split = data;
	struct recorded one = {
		.event = event,
		.attr = &xp_data_event_at(split->rec->data, event)->attr,
		.time_ns = split->recorded->time_ns,
		.sample = *sample,
		.is_cut = split->recorded->is_cut,
	};
	int passes = event < split->rec->nr_events ? recording_passes(split->rec, &one) : 0;

	return passes > 0 ? split->fn(&one, split->data) : passes;
}

int recording_split(struct recording *rec, struct recorded *recorded,
		    int (*fn)(struct recorded *recorded, void *data), void *data)
{
	struct split split = { rec, recorded, fn, data };

	if (!rec->opts->split_readings || !(recorded->attr->sample_type & XP_SAMPLE_READ)) {
		int passes = recording_passes(rec, recorded);

		return passes > 0 ? fn(recorded, data) : passes;
	}
	if (!rec->readings && !(rec->readings = readings_new(rec->data)))
		return -ENOMEM;
	return readings_each(rec->readings, recorded->event, &recorded->sample, split_one, &split);
}

int recording_each(struct recording *rec, int (*fn)(struct recorded *recorded, void *data),
		   void *data)
{
	const struct xp_record *record;
	struct recorded recorded;
	int more, err = recording_rewind(rec);

	progress_start(rec);
	while (!err && (more = recording_next(rec, &record)) != 0) {
		if (more < 0 || record->type != XP_RECORD_SAMPLE) {
			err = more < 0 ? more : 0;
			continue;
		}
		int got = recording_decode(rec, record, rec->nr, xp_data_position(rec->data),
					   &recorded);
		if (got < 0)
			err = got;
		else if (got && !recorded.is_cut)
			err = recording_split(rec, &recorded, fn, data);
	}
	progress_end(rec);
	return err;
}
