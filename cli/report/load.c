/* SPDX-License-Identifier: MIT */
/* Reads a recording twice: first what happened around the samples, then the samples. What comes
 * through a pipe is kept in memory for that. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/traces.h>

#include "readings.h"
#include "report.h"

/* Source: linux/perf_event.h. */

enum { COPY_BYTES = 1 << 16 };

static int copy_all(int from, int to)
{
	char *buffer = malloc(COPY_BYTES);
	ssize_t len = buffer ? 1 : -1;

	while (len > 0 && (len = read(from, buffer, COPY_BYTES)) > 0)
		for (ssize_t done = 0, n; len > 0 && done < len; done += n) {
			n = write(to, buffer + done, (size_t)(len - done));
			if (n < 0)
				len = n = -1;
		}
	int err = len < 0 ? -errno : 0;
	free(buffer);
	return err;
}

/* True if the recording comes through a pipe. Source of the default: perf. */
static bool is_pipe(const char *path)
{
	struct stat st;

	if (path && strcmp(path, "-") != 0)
		return !stat(path, &st) && S_ISFIFO(st.st_mode);
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode);
}

int load_open(const struct cli *cli, struct recording *rec, const struct values *values)
{
	char path[32];

	if (!is_pipe(values->input))
		return input_open(cli, values->input, values->force, &rec->input);
	bool is_named = values->input && strcmp(values->input, "-") != 0;
	int from = is_named ? open(values->input, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int to = memfd_create("perf.data", MFD_CLOEXEC);
	int err = from < 0 || to < 0 ? -errno : copy_all(from, to);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	if (!err) {
		err = input_open(cli, path, true, &rec->input);
		rec->input.path = is_named ? values->input : "-";
	} else {
		fprintf(stderr, "Error: %s: %s\n", is_named ? values->input : "standard input",
			strerror(-err));
	}
	if (to >= 0)
		close(to);
	if (is_named && from >= 0)
		close(from);
	return err;
}

bool load_has_chains(const struct recording *rec)
{
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_data_event_at(rec->input.data, i)->attr.sample_type & XP_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* Of a stream, events and features come with the records: reads up to the first one of the
 * kernel's.
 */
int load_events(struct recording *rec)
{
	const struct xp_record *record;
	int more = 1;

	if (xp_data_is_stream(rec->input.data)) {
		while ((more = xp_data_next(rec->input.data, &record, NULL)) > 0)
			if (record->type < XP_RECORD_HEADER_ATTR)
				break;
		if (more >= 0)
			more = xp_data_rewind(rec->input.data);
		if (more < 0)
			return more;
	}
	rec->nr_events = xp_data_nr_events(rec->input.data);
	rec->samples = calloc((size_t)rec->nr_events + 1, sizeof(*rec->samples));
	rec->lost = calloc((size_t)rec->nr_events + 1, sizeof(*rec->lost));
	rec->without_times = !xp_data_has_times(rec->input.data);
	return rec->samples && rec->lost ? 0 : -ENOMEM;
}

int recording_traces(struct recording *rec)
{
	size_t len;
	const void *body = xp_data_feature(rec->input.data, XP_FEATURE_TRACING_DATA, &len);

	if (rec->traces)
		return 0;
	return body ? xp_traces_new(body, len, &rec->traces, NULL) : -ENOENT;
}

static int set_build_id(const struct xp_record_build_id *record, void *data)
{
	return xp_timeline_set_build_id(data, record);
}

int load_event_of(const struct recording *rec, const struct xp_record *record)
{
	int event = xp_data_event_of(rec->input.data, record);

	return event < rec->nr_events ? event : -1;
}

static void count_lost(struct recording *rec, const struct xp_record *record)
{
	uint64_t lost = ((const struct xp_record_lost_samples *)record)->lost;
	int event = load_event_of(rec, record);

	rec->tally.lost_samples += lost;
	if (event >= 0)
		rec->lost[event] += lost;
}

static void count(struct recording *rec, const struct xp_record *record)
{
	struct tally *tally = &rec->tally;

	tally->total++;
	if (record->type < RECORD_TYPES)
		tally->records[record->type]++;
	switch (record->type) {
	case XP_RECORD_LOST_SAMPLES:
		count_lost(rec, record);
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

static void note_time(struct tally *tally, uint64_t time_ns)
{
	if (time_ns == XP_NO_TIME)
		return;
	if (tally->first_ns == XP_NO_TIME || time_ns < tally->first_ns)
		tally->first_ns = time_ns;
	if (tally->last_ns == XP_NO_TIME || time_ns > tally->last_ns)
		tally->last_ns = time_ns;
}

static int count_sample(int event, const struct xp_sample *sample, void *data)
{
	(void)sample;
	((struct recording *)data)->samples[event]++;
	return 0;
}

static int index_sample(struct recording *rec, const struct plan *plan,
			const struct xp_record *record, bool with_times)
{
	int event = load_event_of(rec, record);
	struct xp_sample sample;

	rec->tally.strangers += event < 0;
	if (event < 0 || (!with_times && !rec->readings && !plan->switches))
		return 0;
	xp_sample_decode(record, &xp_data_event_at(rec->input.data, event)->attr, &sample);
	if (with_times)
		note_time(&rec->tally, sample.id.time_ns);
	int err = switches_note(plan->switches, event, sample.id.time_ns);
	if (err || !rec->readings)
		return err;
	return readings_each(rec->readings, event, &sample, count_sample, rec);
}

/* What the profile, and keys and filters have to know of a record. */
static int note_record(struct recording *rec, const struct plan *plan,
		       const struct xp_record *record, const struct xp_sample_id *id)
{
	int err = rec->profile ? xp_profile_note_at(rec->profile, record, id,
						    xp_data_position(rec->input.data))
			       : 0;

	if (!err)
		err = extras_note(rec->extras, record, id->time_ns);
	if (!err && plan->parallelism)
		err = parallelism_note(&rec->running, record, id);
	return err;
}

static int index_record(struct recording *rec, const struct plan *plan,
			const struct xp_record *record, bool with_times)
{
	struct xp_sample_id id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME };
	int err;

	count(rec, record);
	rounds_note(&rec->rounds, rec->input.data, record);
	if (record->type == XP_RECORD_READ)
		return threads_note(rec, record);
	if (record->type == XP_RECORD_SAMPLE)
		return index_sample(rec, plan, record, with_times);
	if (record->type < XP_RECORD_HEADER_ATTR) {
		int event = load_event_of(rec, record);

		if (event < 0)
			event = 0;
		if (rec->nr_events)
			xp_sample_id_decode(record, &xp_data_event_at(rec->input.data, event)->attr,
					    &id);
	}
	if (rec->without_times)
		id.time_ns = rec->tally.total;
	err = record->type == XP_RECORD_HEADER_BUILD_ID
		      ? xp_timeline_set_build_id(rec->timeline, (const void *)record)
		      : xp_timeline_add_at(rec->timeline, record, &id,
					   xp_data_position(rec->input.data));
	return err ? err : note_record(rec, plan, record, &id);
}

/* What could only be known when all records had been seen. */
static int settle(struct recording *rec, struct plan *plan, bool with_times)
{
	if (with_times && rec->tally.first_ns != XP_NO_TIME)
		slices_settle(plan->slices, rec->tally.first_ns, rec->tally.last_ns);
	switches_settle(plan->switches);
	if (!plan->parallelism || parallelism_count(rec->running))
		return 0;
	xp_diag_set(&rec->input.diag, -ENODATA, "'%s' does not tell how many threads ran at a time",
		    rec->input.path);
	xp_diag_hint(&rec->input.diag, "Record it with --latency");
	return -ENODATA;
}

int load_index(struct recording *rec, struct plan *plan, bool with_profile)
{
	const struct xp_record *record;
	bool with_times = slices_need_bounds(plan->slices);
	int more, err;

	rec->tally.first_ns = rec->tally.last_ns = XP_NO_TIME;
	if (plan->cpus && input_check_cpus(rec->input.data, &rec->input.diag))
		return -EINVAL;
	err = xp_timeline_new(&rec->timeline);
	if (!err)
		err = xp_data_build_ids(rec->input.data, set_build_id, rec->timeline);
	if (!err && with_profile)
		err = profile_make(rec, plan);
	if (!err && plan->values->stats && !(rec->readings = readings_new(rec->input.data)))
		err = -ENOMEM;
	progress_start(rec);
	rounds_init(&rec->rounds, rec->input.data, rec->input.path);
	while (!err && (more = xp_data_next(rec->input.data, &record, NULL)) != 0) {
		progress_step(rec);
		err = more < 0 ? more : index_record(rec, plan, record, with_times);
	}
	progress_end(rec);
	rec->tally.doubtful = rounds_doubtful(&rec->rounds, rec->input.data);
	input_note_strangers(&rec->input.diag, rec->tally.strangers);
	if (!err)
		err = settle(rec, plan, with_times);
	return err ? err : xp_timeline_seal(rec->timeline);
}

void load_close(struct recording *rec)
{
	xp_profile_free(rec->profile);
	xp_resolver_free(rec->resolver);
	xp_symbols_free(rec->symbols);
	xp_timeline_free(rec->timeline);
	extras_free(rec->extras);
	blocks_free(rec->blocks);
	threads_free(rec->thread_counts);
	xp_traces_free(rec->traces);
	parallelism_free(rec->running);
	readings_free(rec->readings);
	free(rec->lbr.at);
	free(rec->samples);
	free(rec->lost);
}
