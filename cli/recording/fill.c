/* SPDX-License-Identifier: MIT */
/* The samples of a recording, counted. */
#include "fill.h"

#include <errno.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/profile.h>

#include "ordered.h"

struct filling {
	struct recording *rec;
	const struct sample_filter *filter;
	struct xp_profile *profile;
	bool (*keep)(int event, const struct xp_sample *sample, void *data);
	void *data;
};

static bool keep(int event, const struct xp_sample *sample, void *data)
{
	const struct filling *filling = data;

	return sample_filter_pass(filling->filter, event, sample->id.cpu, sample->id.time_ns) &&
	       (!filling->keep || filling->keep(event, sample, filling->data));
}

static int add(struct recorded *recorded, void *data)
{
	const struct filling *filling = data;
	struct xp_sample as_recorded = recorded->sample;

	as_recorded.id.time_ns = recorded->time_ns;
	if (filling->keep && !filling->keep(recorded->event, &as_recorded, filling->data))
		return 0;
	return xp_profile_add(filling->profile, recorded->event, &recorded->sample);
}

/* A sample may depend on those before it: readings are differences, and without times the number
 * of a sample is its time. */
static bool needs_order(const struct recording *rec)
{
	const struct xp_data_event *event;

	if (rec->without_times && sample_filter_needs_times(&rec->filter))
		return true;
	for (int i = 0; (event = xp_data_event_at(rec->data, i)) && rec->opts->split_readings; i++)
		if (event->attr.sample_type & XP_SAMPLE_READ)
			return true;
	return false;
}

/* Call chains are completed from earlier samples of the same thread. */
static bool needs_time_order(const struct recording *rec)
{
	return rec->stacks && rec->joins;
}

static int add_record(const struct xp_record *record, uint64_t time_ns, uint64_t position,
		      void *data)
{
	const struct filling *filling = data;
	struct recorded recorded;

	if (!progress_add(1, filling->rec->progress))
		return -ECANCELED;
	int got = recording_decode(filling->rec, record, time_ns, position, &recorded);

	if (got <= 0 || recorded.is_cut)
		return got < 0 ? got : 0;
	return recording_split(filling->rec, &recorded, add, data);
}

static int is_sample(const struct xp_record *record, void *data)
{
	(void)data;
	return record->type == XP_RECORD_SAMPLE;
}

static int fill_ordered(struct recording *rec, struct filling *filling)
{
	const struct xp_order_opts opts = { .size = sizeof(opts), .keep = is_sample };

	progress_begin(rec->progress, STAGE_COUNTING, rec->nr_samples);
	int err = recording_each_ordered(rec, &opts, false, add_record, filling);
	bool was_stopped = rec->progress->was_stopped[STAGE_COUNTING];
	progress_end(rec->progress);
	return err == -ECANCELED && was_stopped ? 0 : err;
}

int recording_fill(struct recording *rec, struct xp_profile *profile, int nr_threads,
		   bool (*keep_fn)(int event, const struct xp_sample *sample, void *data),
		   void *data)
{
	struct filling filling = { rec, &rec->filter, profile, keep_fn, data };
	const struct xp_fill_opts opts = {
		.size = sizeof(opts),
		.nr_threads = nr_threads,
		.keep = keep_fn || sample_filter_has_moments(&rec->filter) ? keep : NULL,
		.keep_data = &filling,
		.without_times = rec->without_times,
		.stacks = rec->stacks,
		.go_on = progress_add,
		.go_on_data = rec->progress,
	};

	if (needs_time_order(rec))
		return fill_ordered(rec, &filling);
	if (needs_order(rec))
		return recording_each(rec, add, &filling);
	progress_begin(rec->progress, STAGE_COUNTING, rec->nr);
	int err = xp_profile_fill(profile, rec->data, &opts);
	progress_end(rec->progress);
	return err;
}

bool recording_keeps_row(const struct recording *rec, const struct xp_profile_row *row)
{
	return sample_filter_pass_frame(&rec->filter, &xp_profile_row_location(row)->frame) &&
	       sample_filter_pass_task(&rec->filter, row->pid, row->tid, row->comm);
}
