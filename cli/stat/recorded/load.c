/* SPDX-License-Identifier: MIT */
/*
 * From the records of `stat record` to a list of events, sets of CPUs and threads, and a table of
 * counts. Nothing in a file is believed: what does not fit is left out and counted.
 */
#include "load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "places.h"
#include "save.h"

/* More than any machine's: an event on 8,192 CPUs, of 1,024 events. */
enum { CELLS_MAX = 1 << 23 };

struct config_record {
	struct xp_record header;
	uint64_t nr;
	uint64_t terms[][2];
};

void stat_load_config(struct stat_load *load, const struct xp_record *record)
{
	const struct config_record *config = (const void *)record;
	size_t room = (record->size - sizeof(*config)) / sizeof(config->terms[0]);

	for (size_t i = 0; i < config->nr && i < room; i++) {
		uint64_t value = config->terms[i][1];

		switch (config->terms[i][0]) {
		case STAT_TERM_AGGR_MODE:
			load->mode = value;
			break;
		case STAT_TERM_INTERVAL:
			load->config->interval_ms = value > INT_MAX ? INT_MAX : (int)value;
			break;
		case STAT_TERM_SCALE:
			load->config->scale = value;
			break;
		case STAT_TERM_AGGR_LEVEL:
			load->has_level = true;
			load->level = value;
			break;
		default: /* of a version to come */
			break;
		}
	}
}

/* Numbers of modes changed with perf 6.5 and 6.9, and only files from 6.5 on have the level. */
static enum stat_perf_numbers numbers_of(const struct stat_load *load)
{
	int major = 0, minor = 0;
	size_t len;
	const char *body;
	char version[16] = "";

	if (!load->has_level)
		return STAT_PERF_6_1;
	body = xp_data_feature(load->rec->data, XP_FEATURE_VERSION, &len);
	/* the length of the text is in front of it */
	if (body && len > sizeof(uint32_t))
		snprintf(version, sizeof(version), "%.*s", (int)(len - sizeof(uint32_t)),
			 body + sizeof(uint32_t));
	bool is_6_5 = sscanf(version, "%d.%d", &major, &minor) == 2 && major == 6 && minor >= 5 &&
		      minor < 9;
	return is_6_5 ? STAT_PERF_6_5 : STAT_PERF_6_9;
}

/* The header has no clusters: they are parts of a die. */
static void choose_mode(struct stat_load *load)
{
	struct stat_config *config = load->config;

	if (config->aggr_mode != XP_AGGR_NR_MODES)
		return;
	config->aggr_mode = stat_perf_mode(load->mode, numbers_of(load));
	if (config->aggr_mode == XP_AGGR_NR_MODES)
		config->aggr_mode = XP_AGGR_GLOBAL;
	load->lacks_clusters = config->aggr_mode == XP_AGGR_CLUSTER;
	if (load->lacks_clusters)
		config->aggr_mode = XP_AGGR_DIE;
	if (config->aggr_mode == XP_AGGR_CACHE)
		config->cache_level = load->level <= XP_CACHE_LEVEL_MAX ? (int)load->level : 0;
}

static int make_cpus(struct stat_load *load)
{
	enum { NUMBER_LEN = 12 };
	const struct maps *maps = &load->maps;
	size_t len = 0;

	if (!maps->nr_cpus || maps->cpus[0] < 0)
		return xp_cpus_any(&load->cpus);
	char *text = malloc(maps->nr_cpus * NUMBER_LEN + 1);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < maps->nr_cpus; i++)
		if (maps->cpus[i] >= 0)
			len += (size_t)snprintf(text + len, NUMBER_LEN, "%s%d", len ? "," : "",
						maps->cpus[i]);
	int err = xp_cpus_parse(text, &load->cpus, NULL);
	free(text);
	return err;
}

static int make_threads(struct stat_load *load)
{
	const struct maps *maps = &load->maps;

	if (!maps->nr_threads)
		return xp_threads_any(&load->threads);
	const char **names = calloc(maps->nr_threads, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < maps->nr_threads; i++)
		names[i] = maps->comms[i];
	int err = xp_threads_recorded(maps->threads, names, (int)maps->nr_threads, &load->threads);
	free(names);
	return err;
}

static int make_events(struct stat_load *load)
{
	const struct xp_data_event *event;
	int err = xp_evlist_new(load->rec->ctx, &load->evlist);

	for (int i = 0; !err && (event = xp_data_event_at(load->rec->data, i)); i++)
		err = xp_evlist_add_recorded(load->evlist, event, load->cpus);
	return err;
}

static int make_counts(struct stat_load *load)
{
	int events = xp_evlist_nr(load->evlist), cpus = xp_cpus_nr(load->cpus);
	int threads = xp_threads_nr(load->threads);

	if ((uint64_t)events * (uint64_t)cpus > CELLS_MAX / (uint64_t)threads)
		return -E2BIG;
	return xp_counts_new(events, cpus, threads, &load->now)
		       ?: xp_counts_new(events, cpus, threads, &load->before)
		       ?: xp_counts_new(events, cpus, threads, &load->delta);
}

static int make_rows(struct stat_load *load, struct xp_diag *diag)
{
	const struct stat_config *config = load->config;
	bool by_place = config->aggr_mode != XP_AGGR_GLOBAL && config->aggr_mode != XP_AGGR_THREAD;
	int err;

	if (by_place && xp_cpus_at(load->cpus, 0).nr < 0)
		return xp_diag_set(
			diag, -EINVAL,
			"%s has no rows per CPU or place: it is of tasks, whose counters "
			"follow them",
			load->rec->path);
	if (config->aggr_mode == XP_AGGR_CLUSTER)
		return xp_diag_set(diag, -ENODATA,
				   "%s does not list clusters, for which recordings have no place: "
				   "use --per-core, --per-cache or --per-die",
				   load->rec->path);
	err = by_place ? places_set(load->rec, load->cpus, config->cache_level) : 0;
	if (!err && config->aggr_mode == XP_AGGR_CACHE)
		err = xp_aggr_new_by_cache(load->rec->ctx, config->cache_level, load->cpus,
					   load->threads, &load->aggr);
	else if (!err)
		err = xp_aggr_new(load->rec->ctx, config->aggr_mode, load->cpus, load->threads,
				  &load->aggr);
	if (err == -ENODATA)
		return xp_diag_set(diag, err,
				   "%s does not list such caches: use --per-core or "
				   "--per-socket",
				   load->rec->path);
	return err;
}

int stat_load_prepare(struct stat_load *load, struct xp_diag *diag)
{
	choose_mode(load);
	if (!xp_data_nr_events(load->rec->data))
		return xp_diag_set(diag, -EBADMSG, "%s has no events", load->rec->path);
	int err = make_cpus(load) ?: make_threads(load) ?: make_events(load) ?: make_counts(load)
				  ?: make_rows(load, diag);

	if (err && !diag->what[0])
		xp_diag_set(diag, err, "The counts of %s cannot be loaded: %s", load->rec->path,
			    strerror(-err));
	return err;
}

/* Before perf 5.18, a place in the map was recorded, not the number. */
static int cpu_idx_of(const struct stat_load *load, uint32_t cpu)
{
	if (xp_cpus_at(load->cpus, 0).nr < 0)
		return cpu == 0 || cpu == UINT32_MAX ? 0 : -1;
	int idx = cpu > INT_MAX ? -1 : xp_cpus_find(load->cpus, (struct xp_cpu){ (int)cpu });
	return idx < 0 && cpu < (uint32_t)xp_cpus_nr(load->cpus) ? (int)cpu : idx;
}

void stat_load_count(struct stat_load *load, const struct stat_record *record)
{
	int event = maps_event_of(load->rec->data, record->id);
	int cpu_idx = cpu_idx_of(load, record->cpu);
	struct xp_count *cell =
		event < 0 || cpu_idx < 0 || record->thread > INT_MAX
			? NULL
			: xp_counts_at(load->now, event, cpu_idx, (int)record->thread);

	if (!cell) {
		load->nr_ignored++;
		return;
	}
	*cell = (struct xp_count){ .value = record->value,
				   .enabled_ns = record->enabled,
				   .running_ns = record->running };
}

void stat_load_fini(struct stat_load *load)
{
	maps_fini(&load->maps);
	xp_aggr_free(load->aggr);
	xp_evlist_free(load->evlist);
	xp_cpus_unref(load->cpus);
	xp_threads_unref(load->threads);
	xp_counts_free(load->now);
	xp_counts_free(load->before);
	xp_counts_free(load->delta);
}
