/* SPDX-License-Identifier: MIT */
/* The first pass over a recording: all that has to be known before its samples are. */
#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "plural.h"
#include "readings.h"
#include "recording.h"
#include "symbols.h"

/* The pass, and what the command wants to know of records. */
struct load {
	struct recording *rec;
	bool only_counts; /* nothing but the number of samples is wanted of them */
	int (*note)(const struct xp_record *record, const struct xp_sample_id *id, void *data);
	void *data;
};

static int note_event(int event, const struct xp_sample *sample, void *data)
{
	return sample_filter_note(data, event, sample->id.time_ns);
}

/* A sample with a reading is one of each event in it. */
static int note_sample(struct recording *rec, const struct xp_record *record)
{
	int event = recording_event_of(rec, record);
	struct xp_sample sample = { .size = sizeof(sample) };

	rec->nr_samples++;
	rec->nr_unknown += event < 0;
	if (event < 0 || !sample_filter_needs_times(&rec->filter))
		return 0;
	const struct xp_attr *attr = &xp_data_event_at(rec->data, event)->attr;
	uint64_t time_ns = recording_time(rec, record);
	if (!rec->opts->split_readings || !(attr->sample_type & XP_SAMPLE_READ) ||
	    xp_sample_decode(record, attr, &sample))
		return sample_filter_note(&rec->filter, event, time_ns);
	if (!rec->readings && !(rec->readings = readings_new(rec->data)))
		return -ENOMEM;
	sample.id.time_ns = time_ns;
	return readings_each(rec->readings, event, &sample, note_event, &rec->filter);
}

static struct xp_sample_id id_of(const struct recording *rec, const struct xp_record *record)
{
	struct xp_sample_id id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME };
	const struct xp_data_event *event = NULL;

	if (record->type < XP_RECORD_HEADER_ATTR)
		event = xp_data_event_at(rec->data, xp_data_event_of(rec->data, record));
	if (event)
		xp_sample_id_decode(record, &event->attr, &id);
	if (rec->without_times)
		id.time_ns = rec->nr;
	return id;
}

/* Apart from note(), which would save registers for it. */
static __attribute__((noinline)) int note_closely(const struct load *load,
						  const struct xp_record *record)
{
	struct recording *rec = load->rec;
	int err = 0;

	rounds_note(&rec->rounds, rec->data, record);
	if (record->type == XP_RECORD_SAMPLE)
		return note_sample(rec, record);
	if (record->type == XP_RECORD_CGROUP)
		err = cgroups_add(&rec->cgroups, (const void *)record);
	if (err || !load->note)
		return err;
	const struct xp_sample_id id = id_of(rec, record);
	return load->note(record, &id, load->data);
}

static int note(const struct xp_record *record, void *data)
{
	const struct load *load = data;
	struct recording *rec = load->rec;

	/* What is asked to stop is the reading of windows. */
	if (!(++rec->nr % PROGRESS_RECORDS))
		progress_step(rec);
	if (record->type != XP_RECORD_SAMPLE || !load->only_counts)
		return note_closely(load, record);
	rec->nr_samples++;
	rec->nr_unknown += recording_event_of(rec, record) < 0;
	return 0;
}

int recording_check(struct recording *rec)
{
	int err = rec->opts->with_symbols ? symbols_check(rec) : 0;

	return err ? err : sample_filter_check(&rec->filter, rec->data, &rec->diag);
}

static void report_unknown(struct recording *rec)
{
	if (rec->nr_unknown)
		xp_diag_set(&rec->diag, -ENODATA,
			    "%llu %s left out: no event of the recording has %s",
			    (unsigned long long)rec->nr_unknown,
			    plural(rec->nr_unknown, "sample is", "samples are"),
			    plural(rec->nr_unknown, "its id", "their ids"));
}

int recording_load(struct recording *rec,
		   int (*note_fn)(const struct xp_record *record, const struct xp_sample_id *id,
				  void *data),
		   void *data)
{
	struct load load = { .rec = rec, .note = note_fn, .data = data };
	int err = recording_check(rec);

	if (err)
		return err;
	rec->nr = rec->nr_samples = 0;
	rounds_init(&rec->rounds, rec->data, rec->path);
	load.only_counts = !rec->rounds.is_watched && !sample_filter_needs_times(&rec->filter);
	progress_start(rec, STAGE_READING);
	err = xp_timeline_load(rec->timeline, rec->data, note, &load);
	progress_end(rec->progress);
	rec->cut_off = rounds_end(&rec->rounds, rec->data);
	report_unknown(rec);
	sample_filter_finish(&rec->filter, rec->data);
	if (!err && rec->opts->with_symbols)
		err = symbols_open(rec);
	return err;
}
