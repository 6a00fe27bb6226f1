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
#include <xperf/cpus.h>

#include "report.h"
#include "servers.h"

/* Source: linux/perf_event.h. */
enum { SAMPLE_TIME = 1 << 2, SAMPLE_CALLCHAIN = 1 << 5 };

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
		if (xp_data_event(rec->input.data, i)->attr.sample_type & SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* Of a stream, events come with the records: reads up to the first one of the kernel's. */
static int find_events(struct recording *rec)
{
	const struct xp_record *record;
	int more = 1;

	if (xp_data_is_stream(rec->input.data)) {
		while ((more = xp_data_next(rec->input.data, &record, NULL)) > 0)
			if (record->type < XP_RECORD_HEADER_ATTR)
				break;
		if (more < 0)
			return more;
		more = xp_data_rewind(rec->input.data);
		if (more)
			return more;
	}
	rec->nr_events = xp_data_nr_events(rec->input.data);
	rec->samples = calloc((size_t)rec->nr_events + 1, sizeof(*rec->samples));
	rec->without_times = true;
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_data_event(rec->input.data, i)->attr.sample_type & SAMPLE_TIME)
			rec->without_times = false;
	return rec->samples ? 0 : -ENOMEM;
}

/* Build ids that stand behind the records: HEADER_BUILD_ID records without a type. */
static int take_build_ids(struct recording *rec)
{
	size_t len;
	const char *body = xp_data_feature(rec->input.data, XP_FEATURE_BUILD_ID, &len);
	bool swapped = xp_data_is_swapped(rec->input.data);
	int err = 0;

	for (size_t at = 0; body && !err && len - at >= sizeof(struct xp_record);) {
		struct xp_record header;

		memcpy(&header, body + at, sizeof(header));
		if (swapped) {
			header.size = __builtin_bswap16(header.size);
			header.misc = __builtin_bswap16(header.misc);
		}
		if (header.size < sizeof(struct xp_record_build_id) || header.size > len - at)
			break;
		struct xp_record_build_id *copy = calloc(1, (size_t)header.size + 1);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, body + at, header.size);
		copy->header = header;
		if (swapped)
			copy->pid = (int32_t)__builtin_bswap32((uint32_t)copy->pid);
		err = xp_timeline_set_build_id(rec->timeline, copy);
		free(copy);
		at += header.size;
	}
	return err;
}

static int event_of(const struct recording *rec, const struct xp_record *record)
{
	int event = xp_data_event_of(rec->input.data, record);

	return event < rec->nr_events ? event : -1;
}

static void count(struct recording *rec, const struct xp_record *record)
{
	struct tally *tally = &rec->tally;

	tally->total++;
	if (record->type < RECORD_TYPES)
		tally->records[record->type]++;
	switch (record->type) {
	case XP_RECORD_LOST_SAMPLES:
		tally->lost_samples += ((const struct xp_record_lost_samples *)record)->lost;
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

static int index_sample(struct recording *rec, const struct xp_record *record, bool with_times)
{
	int event = event_of(rec, record);
	struct xp_sample sample;

	if (event < 0)
		return 0;
	rec->samples[event]++;
	if (with_times) {
		xp_sample_decode(record, &xp_data_event(rec->input.data, event)->attr, &sample);
		note_time(&rec->tally, sample.id.time_ns);
	}
	return 0;
}

static int index_record(struct recording *rec, const struct xp_record *record, bool with_times)
{
	struct xp_sample_id id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME };
	int err;

	count(rec, record);
	if (record->type == XP_RECORD_SAMPLE)
		return index_sample(rec, record, with_times);
	if (record->type < XP_RECORD_HEADER_ATTR) {
		int event = event_of(rec, record);

		if (event < 0)
			event = 0;
		if (rec->nr_events)
			xp_sample_id_decode(record, &xp_data_event(rec->input.data, event)->attr,
					    &id);
	}
	if (rec->without_times)
		id.time_ns = rec->tally.total;
	err = record->type == XP_RECORD_HEADER_BUILD_ID
		      ? xp_timeline_set_build_id(rec->timeline, (const void *)record)
		      : xp_timeline_add(rec->timeline, record, &id);
	if (!err && rec->profile)
		err = xp_profile_note(rec->profile, record, &id);
	return err;
}

static int make_profile(struct recording *rec, struct plan *plan)
{
	plan_settle(plan, rec);
	struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = plan->keys,
		.nr_keys = plan->nr_keys,
		.nr_events = rec->nr_events ? rec->nr_events : 1,
		.with_chains = plan->with_chains,
		.children = plan->children,
		.callers_first = plan->graph.callers_first,
		.by_address = plan->graph.by_address,
		.max_stack = plan->values->max_stack,
	};
	return xp_profile_new(rec->timeline, &opts, &rec->profile);
}

int load_index(struct recording *rec, struct plan *plan, bool with_profile)
{
	const struct xp_record *record;
	bool with_times = slices_need_bounds(plan->slices);
	int err = find_events(rec), more;

	rec->tally.first_ns = rec->tally.last_ns = XP_NO_TIME;
	if (!err)
		err = xp_timeline_new(&rec->timeline);
	if (!err)
		err = take_build_ids(rec);
	if (!err && with_profile)
		err = make_profile(rec, plan);
	while (!err && (more = xp_data_next(rec->input.data, &record, NULL)) != 0)
		err = more < 0 ? more : index_record(rec, record, with_times);
	if (with_times && rec->tally.first_ns != XP_NO_TIME)
		slices_settle(plan->slices, rec->tally.first_ns, rec->tally.last_ns);
	return err ? err : xp_timeline_seal(rec->timeline);
}

static bool keep_sample(int event, const struct xp_sample *sample, void *data)
{
	const struct plan *plan = data;

	(void)event;
	if (plan->cpus && !(xp_cpus_find(plan->cpus, (struct xp_cpu){ sample->id.cpu }) >= 0))
		return false;
	return slices_have(plan->slices, sample->id.time_ns);
}

static int fill(struct recording *rec, const struct plan *plan)
{
	const struct xp_fill_opts opts = {
		.size = sizeof(opts),
		.nr_threads = plan->values->threads,
		.keep = plan->cpus || plan->slices ? keep_sample : NULL,
		.keep_data = (void *)plan,
		.without_times = rec->without_times,
	};

	return xp_profile_fill(rec->profile, rec->input.data, &opts);
}

static int make_resolver(struct recording *rec, const struct values *values)
{
	struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = values->symfs,
		.vmlinux = values->vmlinux,
		.kallsyms = values->kallsyms,
		.no_demangle = values->no_demangle,
		.demangle_kernel = values->demangle_kernel,
	};
	servers_use(&opts, values->debuginfod);
	int err = xp_symbols_new(rec->input.ctx, &opts, &rec->symbols);

	return err ? err : xp_resolver_new(rec->timeline, rec->symbols, &rec->resolver);
}

int load_aggregate(struct recording *rec, const struct plan *plan)
{
	int err = fill(rec, plan);

	if (!err)
		err = make_resolver(rec, plan->values);
	if (!err)
		err = xp_profile_resolve(rec->profile, rec->resolver, plan_keeps, (void *)plan);
	return err;
}

void load_close(struct recording *rec)
{
	xp_profile_free(rec->profile);
	xp_resolver_free(rec->resolver);
	xp_symbols_free(rec->symbols);
	xp_timeline_free(rec->timeline);
	free(rec->samples);
}
