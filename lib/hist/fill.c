/* SPDX-License-Identifier: MIT */
/*
 * All samples of a recording into a profile. The file is cut into one part per thread; each has
 * tables of its own, and they are merged in the order of the parts, so that the result is that of
 * one thread. A sample is decoded in place, by offsets that are known for its event; what is
 * odd about an event or a sample goes the long way.
 */
#include <errno.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/stacks.h>

#include "cleanup.h"
#include "opts.h"
#include "profile-impl.h"
#include "reader.h"
#include "sample-layout.h"
#include "timeline.h"

enum {
	STEP = 4096, /* records */
	MAX_THREADS = 64,
	BAD_SHOWN = XP_DAMAGES_SHOWN,
	MIN_PART = 4 << 20, /* bytes: less is not worth a thread */
	LINES = 128,
};

/* What all threads share. */
struct plan {
	const struct xp_fill_opts *opts;
	struct sample_layout *layouts; /* per event */
	int nr_events;
};

/* A thread's part. What two threads write lies in different lines of the cache, and in different
 * pairs of them, which are fetched together. @bad: offsets of samples that do not fit, the first
 * ones */
struct part {
	alignas(LINES) const struct plan *plan;
	struct xp_profile *profile;
	struct xp_data *data;
	struct xp_stacks *stacks; /* NULL: copied stacks do not count */
	pthread_t thread;
	bool started;
	struct xp_lbr_chain chain;
	int err;
	uint64_t bad[BAD_SHOWN], nr_bad;
	uint64_t number; /* of the record */
};

static void note_bad(struct part *part)
{
	if (part->nr_bad < BAD_SHOWN)
		part->bad[part->nr_bad] = xp_data_offset(part->data);
	part->nr_bad++;
}

/* When it was, in the order of the file. */
static uint64_t moment_of(const struct part *part, uint64_t time_ns)
{
	return xp_timeline_moment(part->profile->timeline, time_ns, xp_data_position(part->data));
}

/* The long way, apart from the short one, which would save registers for it. */
static __attribute__((noinline)) int add_sample(struct part *part, int event,
						const struct xp_record *record)
{
	const struct xp_fill_opts *opts = part->plan->opts;
	const struct xp_attr *attr = &xp_data_event_at(part->data, event)->attr;
	struct xp_sample sample;

	sample.size = sizeof(sample);
	if (xp_sample_decode(record, attr, &sample)) {
		note_bad(part);
		return 0;
	}
	if (xp_sample_use_lbr(&sample, attr, &part->chain))
		return -ENOMEM;
	if (opts->keep && !opts->keep(event, &sample, opts->keep_data))
		return 0;
	sample.id.time_ns = opts->without_times ? part->number : moment_of(part, sample.id.time_ns);
	if (part->stacks && xp_stacks_unwind(part->stacks, &sample))
		return -ENOMEM;
	return xp_profile_add(part->profile, event, &sample);
}

static int count_record(struct part *part, const struct xp_record *record)
{
	const struct plan *plan = part->plan;
	int event = xp_data_event_of(part->data, record);
	struct sample_head head;

	if (event < 0 || event >= plan->nr_events)
		return 0;
	if (plan->opts->keep || plan->opts->without_times ||
	    !xp_sample_head(&plan->layouts[event], record, &head))
		return add_sample(part, event, record);
	head.time_ns = moment_of(part, head.time_ns);
	return xp_profile_count(part->profile, event, &head);
}

/* After each record, and before the first: whether more are to be counted. */
static bool goes_on(const struct part *part)
{
	const struct xp_fill_opts *opts = part->plan->opts;

	return part->number % STEP || !opts->go_on ||
	       opts->go_on(part->number ? STEP : 0, opts->go_on_data);
}

static void *fill_part(void *arg)
{
	struct part *part = arg;
	const struct xp_record *record;
	int more, err = 0;

	while (!err && goes_on(part) && (more = xp_data_next(part->data, &record, NULL)) != 0) {
		part->number++;
		if (more < 0)
			err = more;
		else if (record->type == XP_RECORD_SAMPLE)
			err = count_record(part, record);
	}
	free(part->chain.at);
	part->err = err;
	return NULL;
}

static void report_bad(struct xp_data *data, const struct part *part)
{
	for (uint64_t i = 0; i < part->nr_bad; i++)
		xp_reader_report_now(data, part->bad[i < BAD_SHOWN ? i : BAD_SHOWN - 1],
				     "SAMPLE (9): the sizes of its parts exceed its own size");
}

/* What one thread has found, or ran into, into the whole. */
static int join_part(struct xp_profile *profile, struct xp_data *data, struct part *part, int err)
{
	if (part->started)
		pthread_join(part->thread, NULL);
	if (!err)
		err = part->err;
	report_bad(data, part);
	if (part->data && part->data != data)
		xp_reader_adopt(data, part->data);
	if (!err && part->profile != profile)
		err = xp_profile_merge(profile, part->profile);
	if (part->profile != profile)
		xp_profile_free(part->profile);
	if (part->data != data)
		xp_data_close(part->data);
	if (part->stacks != part->plan->opts->stacks)
		xp_stacks_free(part->stacks);
	return err;
}

static int start_part(struct part *part, struct xp_profile *profile, const struct xp_data *data,
		      const uint64_t offsets[2])
{
	const struct xp_stacks *stacks = part->plan->opts->stacks;
	int err = xp_profile_fork(profile, &part->profile);

	if (!err && stacks)
		err = xp_stacks_fork(stacks, &part->stacks);
	if (!err)
		err = xp_data_range(data, offsets[0], offsets[1], &part->data);
	if (!err && !pthread_create(&part->thread, NULL, fill_part, part))
		part->started = true;
	return err;
}

/* All parts but the first, which is this thread's own, get one; as far as there are any. */
static int fill_parts(struct xp_profile *profile, struct xp_data *data, const struct plan *plan,
		      const uint64_t *offsets, int nr)
{
	xp_auto_free struct part *parts = aligned_alloc(LINES, (size_t)nr * sizeof(*parts));
	int err = 0;

	if (!parts)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		parts[i] = (struct part){ .plan = plan };
	for (int i = 1; !err && i < nr; i++)
		err = start_part(&parts[i], profile, data, &offsets[i]);
	parts[0].profile = profile;
	parts[0].stacks = plan->opts->stacks;
	if (!err)
		err = xp_data_range(data, offsets[0], offsets[1], &parts[0].data);
	if (!err)
		fill_part(&parts[0]);
	for (int i = 1; !err && i < nr; i++)
		if (!parts[i].started)
			fill_part(&parts[i]);
	for (int i = 0; i < nr; i++)
		err = join_part(profile, data, &parts[i], err);
	return err;
}

static int fill_alone(struct xp_profile *profile, struct xp_data *data, const struct plan *plan)
{
	struct part part = {
		.plan = plan,
		.profile = profile,
		.data = data,
		.stacks = plan->opts->stacks,
	};
	int err = xp_data_rewind(data);

	if (err)
		return err;
	fill_part(&part);
	return join_part(profile, data, &part, 0);
}

static int threads_for(const struct xp_fill_opts *opts, const struct xp_data *data)
{
	uint64_t worth = xp_reader_bytes(data) / MIN_PART;
	long nr = opts->nr_threads;

	if (opts->without_times)
		return 1;
	if (!nr) {
		nr = sysconf(_SC_NPROCESSORS_ONLN);
		if ((uint64_t)nr > worth)
			nr = (long)worth;
	}
	return nr < 1 ? 1 : nr > MAX_THREADS ? MAX_THREADS : (int)nr;
}

static int make_layouts(struct plan *plan, const struct xp_data *data)
{
	plan->layouts = calloc((size_t)plan->nr_events + 1, sizeof(*plan->layouts));
	if (!plan->layouts)
		return -ENOMEM;
	for (int i = 0; i < plan->nr_events; i++)
		plan->layouts[i] = xp_sample_layout(&xp_data_event_at(data, i)->attr);
	return 0;
}

int xp_profile_fill(struct xp_profile *profile, struct xp_data *data,
		    const struct xp_fill_opts *opts)
{
	struct xp_fill_opts known = { .size = 0 };
	struct plan plan = { .opts = &known };
	uint64_t offsets[MAX_THREADS + 1];

	int err = XP_OPTS_COPY(&known, opts, struct xp_fill_opts, without_times, NULL);

	if (err)
		return err;
	if (profile->is_resolved || !xp_timeline_is_sealed(profile->timeline) ||
	    known.nr_threads < 0)
		return -EINVAL;
	plan.nr_events = xp_data_nr_events(data);
	if (plan.nr_events > profile->opts.nr_events)
		plan.nr_events = profile->opts.nr_events;
	err = make_layouts(&plan, data);
	if (err)
		return err;
	xp_profile_start(profile);
	int nr = xp_data_split(data, threads_for(&known, data), offsets);
	profile->nr_threads = nr;
	err = nr > 1 ? fill_parts(profile, data, &plan, offsets, nr)
		     : fill_alone(profile, data, &plan);
	free(plan.layouts);
	return err;
}
