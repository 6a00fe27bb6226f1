/* SPDX-License-Identifier: MIT */
/*
 * Turns an open list of events into what perf.data says of it. Source of the features: the
 * perf.data format, Documentation/perf.data-file-format.txt of perf.
 */
#include "describe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/recorder.h>
#include <xperf/ring.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>

#include "target.h"

/* --- events --- */

/* Events this machine does not have are no part of the recording. */
static bool is_recorded(const struct xp_evsel *evsel)
{
	return xp_evsel_support(evsel) == XP_SUPPORTED;
}

/* Position of an event among those that are recorded. */
static int position(const struct xp_evlist *evlist, const struct xp_evsel *evsel)
{
	int nr = 0;

	for (int i = 0; xp_evlist_at(evlist, i) != evsel; i++)
		nr += is_recorded(xp_evlist_at(evlist, i));
	return nr;
}

/* "0,2-3" for a set. NULL for NULL, or without memory. */
static char *cpus_text(const struct xp_cpus *cpus)
{
	char *text = NULL;
	size_t len;
	FILE *out = cpus ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	for (int i = 0, next; i < xp_cpus_nr(cpus); i = next) {
		int first = xp_cpus_at(cpus, i).nr;

		for (next = i + 1; next < xp_cpus_nr(cpus); next++)
			if (xp_cpus_at(cpus, next).nr != first + next - i)
				break;
		fprintf(out, "%s%d", i ? "," : "", first);
		if (next - i > 1)
			fprintf(out, "-%d", first + next - i - 1);
	}
	fclose(out);
	return text;
}

/* Number of the ring in which a place's records are. */
static uint64_t ring_of(const struct xp_evlist *evlist, const struct xp_event_id *id)
{
	for (int i = 0; i < xp_evlist_nr_rings(evlist); i++) {
		const struct xp_ring_place *place = xp_evlist_ring(evlist, i);

		if (id->cpu >= 0 ? place->cpu == id->cpu : place->tid == id->tid)
			return (uint64_t)i;
	}
	return 0;
}

/* The ids of all events together. */
struct id_index {
	struct xp_data_id *at;
	size_t nr;
};

static int index_ids(const struct xp_evlist *evlist, struct id_index *index,
		     const struct xp_event_id *ids, size_t nr)
{
	struct xp_data_id *at = realloc(index->at, (index->nr + nr + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	index->at = at;
	for (size_t i = 0; i < nr; i++)
		at[index->nr++] = (struct xp_data_id){ .id = ids[i].id,
						       .idx = ring_of(evlist, &ids[i]),
						       .cpu = ids[i].cpu,
						       .tid = ids[i].tid };
	return 0;
}

static int add_event(const struct output *output, struct xp_evsel *evsel,
		     struct xp_data_writer *writer, const struct id_index *index, size_t first_id)
{
	const struct xp_evlist *evlist = output->evlist;
	size_t nr = index->nr - first_id;
	uint64_t *ids = malloc((nr + 1) * sizeof(*ids));
	char *own_cpus = cpus_text(xp_evsel_own_cpus(evsel));
	const char *unit = xp_evsel_unit(evsel);
	int err = -ENOMEM;

	for (size_t i = 0; ids && i < nr; i++)
		ids[i] = index->at[first_id + i].id;
	struct xp_data_event event = {
		.size = sizeof(event),
		.attr = *xp_evsel_attr_const(evsel),
		.name = xp_evsel_name(evsel),
		.unit = *unit ? unit : NULL,
		.scale = xp_evsel_scale(evsel),
		.own_cpus = own_cpus,
		.ids = ids,
		.nr_ids = nr,
		.leader = position(evlist, xp_evsel_leader(evsel)),
	};
	if (output->config->sampling.unwinds)
		xp_unwound_attr(&event.attr, output->config->sampling.regs_user);
	if (ids && (own_cpus || !xp_evsel_own_cpus(evsel)))
		err = xp_data_writer_add_event(writer, &event);
	free(ids);
	free(own_cpus);
	return err;
}

static int add_events(const struct output *output, struct xp_data_writer *writer,
		      struct id_index *index)
{
	struct xp_evlist *evlist = output->evlist;
	int err = 0;

	for (int i = 0; i < xp_evlist_nr(evlist) && !err; i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);
		struct xp_event_id *ids = NULL;
		size_t first = index->nr;

		if (!is_recorded(evsel))
			continue;
		int nr = xp_evsel_ids(evsel, &ids);
		err = nr < 0 ? nr : index_ids(evlist, index, ids, (size_t)nr);
		free(ids);
		if (!err)
			err = add_event(output, evsel, writer, index, first);
	}
	return err;
}

/* --- who and where --- */

static int add_places(const struct output *output, struct xp_data_writer *writer,
		      const struct id_index *index)
{
	const struct xp_ring_place *place = xp_evlist_ring(output->evlist, 0);
	struct xp_time_conv conv;
	int err = xp_data_writer_add_ids(writer, index->at, index->nr);

	if (!err && place && !xp_ring_time_conv(place->ring, &conv))
		err = xp_data_writer_add_time_conv(writer, &conv);
	return err
		       ?: xp_data_writer_add_threads(writer, xp_evlist_threads(output->evlist))
		       ?: xp_data_writer_add_cpus(writer, xp_evlist_cpus(output->evlist));
}

/* Both are 0 until the recorder comes to its end, by which readers see whether it did. */
static int add_times(struct xp_data_writer *writer, uint64_t first_ns, uint64_t last_ns)
{
	const uint64_t times[] = { first_ns, last_ns };

	return xp_data_writer_add_feature(writer, XP_FEATURE_SAMPLE_TIME, times, sizeof(times));
}

int describe_recording(const struct output *output, struct xp_data_writer *writer,
		       struct xp_diag *diag)
{
	struct id_index index = { 0 };
	int err = add_events(output, writer, &index)
			  ?: xp_data_writer_add_host(writer, output->argc, output->argv)
			  ?: add_places(output, writer, &index)
			  ?: add_times(writer, 0, 0);

	free(index.at);
	if (err)
		xp_diag_set(diag, err, "The header of the recording cannot be written: %s",
			    strerror(-err));
	return err;
}

/* --- the end --- */

static int append_record(const struct xp_record *record, void *data)
{
	return fwrite(record, record->size, 1, data) == 1 ? 0 : -ENOMEM;
}

static int add_build_ids(struct xp_data_writer *writer, struct xp_build_ids *ids)
{
	char *body = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&body, &len);

	if (!out)
		return -ENOMEM;
	int err = xp_build_ids_walk(ids, append_record, out);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err && len)
		err = xp_data_writer_add_feature(writer, XP_FEATURE_BUILD_ID, body, len);
	free(body);
	return err;
}

static int add_missing(struct xp_data_writer *writer, const char *missing)
{
	const uint32_t len = (uint32_t)strlen(missing) + 1;
	char *body = malloc(sizeof(len) + len);

	if (!body)
		return -ENOMEM;
	memcpy(body, &len, sizeof(len));
	memcpy(body + sizeof(len), missing, len);
	int err = xp_data_writer_add_feature(writer, XP_FEATURE_XPERF_MISSING, body,
					     sizeof(len) + len);
	free(body);
	return err;
}

int describe_end(struct xp_data_writer *writer, const struct output_end *end, struct xp_diag *diag)
{
	int err = end->build_ids ? add_build_ids(writer, end->build_ids) : 0;

	if (!err)
		err = end->last_ns
			      ? add_times(writer, end->first_ns, end->last_ns)
			      : xp_data_writer_add_feature(writer, XP_FEATURE_SAMPLE_TIME, NULL, 0);
	if (!err && end->missing && *end->missing)
		err = add_missing(writer, end->missing);
	if (err)
		xp_diag_set(diag, err, "The recording cannot be completed: %s", strerror(-err));
	return err;
}
