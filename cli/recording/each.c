/* SPDX-License-Identifier: MIT */
/* The second pass over a recording: its samples, decoded, and their names. */
#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/stacks.h>
#include <xperf/timeline.h>

#include "readings.h"
#include "recording.h"

int recording_rewind(struct recording *rec)
{
	rec->nr = 0;
	readings_free(rec->readings);
	rec->readings = NULL;
	return xp_data_rewind(rec->data);
}

int recording_next(struct recording *rec, const struct xp_record **ret_record)
{
	int more = xp_data_next(rec->data, ret_record, NULL);

	rec->nr += more > 0;
	return more > 0 && !(rec->nr % PROGRESS_RECORDS) && !progress_step(rec) ? 0 : more;
}

int recording_event_of(const struct recording *rec, const struct xp_record *record)
{
	int event = xp_data_event_of(rec->data, record);

	return event < rec->nr_events ? event : -1;
}

uint64_t recording_time(const struct recording *rec, const struct xp_record *record)
{
	const struct xp_data_event *event =
		xp_data_event_at(rec->data, xp_data_event_of(rec->data, record));

	if (rec->without_times)
		return rec->nr;
	return event ? xp_sample_time_of(record, &event->attr) : XP_NO_TIME;
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

	if (!filter->leaves_out)
		return 1;
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

int recording_unwind(struct recording *rec, struct recorded *recorded)
{
	const struct walked *walked = rec->walked;

	if (!rec->stacks)
		return 0;
	return walked ? xp_stacks_complete(rec->stacks, &recorded->sample, &walked->chain,
					   walked->span_ns)
		      : xp_stacks_unwind(rec->stacks, &recorded->sample);
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

		if (passes > 0 && recording_unwind(rec, recorded))
			return -ENOMEM;
		return passes > 0 ? fn(recorded, data) : passes;
	}
	if (!rec->readings && !(rec->readings = readings_new(rec->data)))
		return -ENOMEM;
	if (recording_unwind(rec, recorded))
		return -ENOMEM;
	return readings_each(rec->readings, recorded->event, &recorded->sample, split_one, &split);
}

int recording_each(struct recording *rec, int (*fn)(struct recorded *recorded, void *data),
		   void *data)
{
	const struct xp_record *record;
	struct recorded recorded;
	int more, err = recording_rewind(rec);

	progress_start(rec, STAGE_COUNTING);
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
	progress_end(rec->progress);
	return err;
}
