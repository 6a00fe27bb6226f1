/* SPDX-License-Identifier: MIT */
/* The first pass of a report: numbers of records, and what keys and filters have to know. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/timeline.h>

#include "readings.h"
#include "report.h"

int load_open(const struct cli *cli, struct report *report, const struct values *values)
{
	struct recording *rec = &report->rec;
	int err = recording_open(rec, cli, &values->read);

	if (err)
		return err;
	report->samples = calloc((size_t)rec->nr_events + 1, sizeof(*report->samples));
	report->lost = calloc((size_t)rec->nr_events + 1, sizeof(*report->lost));
	return report->samples && report->lost ? 0 : -ENOMEM;
}

bool load_has_chains(const struct report *report)
{
	for (int i = 0; i < report->rec.nr_events; i++)
		if (xp_data_event_at(report->rec.data, i)->attr.sample_type & XP_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static void count_lost(struct report *report, const struct xp_record *record)
{
	uint64_t lost = ((const struct xp_record_lost_samples *)record)->lost;
	int event = recording_event_of(&report->rec, record);

	report->tally.lost_samples += lost;
	if (event >= 0)
		report->lost[event] += lost;
}

static void count(struct report *report, const struct xp_record *record)
{
	struct tally *tally = &report->tally;

	tally->total++;
	if (record->type < RECORD_TYPES)
		tally->records[record->type]++;
	switch (record->type) {
	case XP_RECORD_LOST_SAMPLES:
		count_lost(report, record);
		break;
	case XP_RECORD_LOST:
		tally->lost_records += ((const struct xp_record_lost *)record)->lost;
		break;
	case XP_RECORD_THROTTLE:
		tally->throttled++;
		break;
	default:
		break;
	}
}

static int count_sample(int event, const struct xp_sample *sample, void *data)
{
	(void)sample;
	((struct report *)data)->samples[event]++;
	return 0;
}

static int count_events(struct report *report, const struct xp_record *record)
{
	int event = recording_event_of(&report->rec, record);
	struct xp_sample sample = { .size = sizeof(sample) };

	if (event < 0)
		return 0;
	xp_sample_decode(record, &xp_data_event_at(report->rec.data, event)->attr, &sample);
	return readings_each(report->readings, event, &sample, count_sample, report);
}

/* For --stats: a sample with a reading is one of each event in it. */
static int count_samples(struct report *report)
{
	struct recording *rec = &report->rec;
	const struct xp_record *record;
	int got = 0, err = recording_rewind(rec);

	if (!err && !(report->readings = readings_new(rec->data)))
		err = -ENOMEM;
	while (!err && (got = recording_next(rec, &record)) > 0)
		if (record->type == XP_RECORD_SAMPLE)
			err = count_events(report, record);
	return err ? err : got;
}

struct indexing {
	struct report *report;
	const struct plan *plan;
};

static int index_record(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	const struct indexing *indexing = data;
	struct report *report = indexing->report;
	uint64_t position = xp_data_position(report->rec.data);
	int err = 0;

	count(report, record);
	if (record->type == XP_RECORD_READ)
		return threads_note(report, record);
	if (report->profile)
		err = xp_profile_note_at(report->profile, record, id, position);
	if (!err)
		err = extras_note(report->extras, record, id->time_ns);
	if (!err && indexing->plan->parallelism)
		err = parallelism_note(&report->running, record, id);
	return err;
}

static void count_packed(struct report *report, uint32_t type)
{
	report->tally.records[type] = xp_data_nr_packed(report->rec.data, type);
	report->tally.total += report->tally.records[type];
}

int load_index(struct report *report, struct plan *plan, bool with_profile)
{
	struct indexing indexing = { report, plan };
	struct recording *rec = &report->rec;
	int err = with_profile ? profile_make(report, plan) : 0;

	if (!err)
		err = recording_load(rec, index_record, &indexing);
	report->tally.total += rec->nr_samples;
	report->tally.records[XP_RECORD_SAMPLE] = rec->nr_samples;
	count_packed(report, XP_RECORD_COMPRESSED);
	count_packed(report, XP_RECORD_COMPRESSED2);
	if (!err && plan->values->show.stats)
		err = count_samples(report);
	if (!err && with_profile && keys_have(plan, EXTRA_WAKER))
		err = wakers_load(report);
	if (err || !plan->parallelism || parallelism_count(report->running))
		return err;
	xp_diag_set(&rec->diag, -ENODATA,
		    "'%s' has no context switches, so the number of "
		    "threads that ran at a time is unknown",
		    rec->path);
	xp_diag_hint(&rec->diag, "Record it with --latency");
	return -ENODATA;
}

void load_fini(struct report *report)
{
	xp_profile_free(report->profile);
	xp_chain_ends_free(report->chain_ends);
	extras_free(report->extras);
	blocks_free(report->blocks);
	threads_free(report->thread_counts);
	parallelism_free(report->running);
	wakers_free(report->wakers);
	readings_free(report->readings);
	free(report->samples);
	free(report->lost);
}
