/* SPDX-License-Identifier: MIT */
/*
 * Places of the CPUs of a recording. Source of the layout of CPU_TOPOLOGY, NUMA_TOPOLOGY and CACHE:
 * perf.data-file-format.txt of perf.
 */
#include "places.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>

#include "header.h"

static void skip_texts(struct feature *feature)
{
	uint32_t nr = feature_u32(feature);

	for (uint32_t i = 0; i < nr && !feature->is_short; i++)
		feature_text(feature);
}

/* Core and socket of all CPUs, then, behind a list, their dies, if they are known. */
static void load_topology(const struct xp_data *data, struct xp_place *places, uint32_t nr)
{
	struct feature counts = feature_of(data, XP_FEATURE_NRCPUS);
	struct feature topology = feature_of(data, XP_FEATURE_CPU_TOPOLOGY);
	uint32_t available = feature_u32(&counts);

	skip_texts(&topology);
	skip_texts(&topology);
	for (uint32_t cpu = 0; cpu < available && !topology.is_short; cpu++) {
		uint32_t core = feature_u32(&topology), socket = feature_u32(&topology);

		if (cpu < nr && !topology.is_short) {
			places[cpu].core = (int)core;
			places[cpu].socket = (int)socket;
		}
	}
	if (topology.is_short || topology.at >= topology.end)
		return;
	skip_texts(&topology);
	for (uint32_t cpu = 0; cpu < available && !topology.is_short; cpu++) {
		uint32_t die = feature_u32(&topology);

		if (cpu < nr && !topology.is_short)
			places[cpu].die = (int)die;
	}
}

static struct xp_cpus *cpus_of(const char *text)
{
	struct xp_cpus *cpus = NULL;

	return xp_cpus_parse(text, &cpus, NULL) ? NULL : cpus;
}

static void load_nodes(const struct xp_data *data, struct xp_place *places, uint32_t nr)
{
	struct feature nodes = feature_of(data, XP_FEATURE_NUMA_TOPOLOGY);
	uint32_t nr_nodes = feature_u32(&nodes);

	for (uint32_t i = 0; i < nr_nodes && !nodes.is_short; i++) {
		uint32_t node = feature_u32(&nodes);

		feature_u64(&nodes); /* memory, and what of it was free */
		feature_u64(&nodes);
		struct xp_cpus *cpus = cpus_of(feature_text(&nodes));
		for (int c = 0; c < xp_cpus_nr(cpus); c++)
			if ((uint32_t)xp_cpus_at(cpus, c).nr < nr)
				places[xp_cpus_at(cpus, c).nr].node = (int)node;
		xp_cpus_unref(cpus);
	}
}

static void load_caches(const struct xp_data *data, int wanted, struct xp_place *places,
			uint32_t nr)
{
	struct feature caches = feature_of(data, XP_FEATURE_CACHE);

	feature_u32(&caches); /* version */
	uint32_t nr_caches = feature_u32(&caches);
	for (uint32_t i = 0; i < nr_caches && !caches.is_short; i++) {
		uint32_t level = feature_u32(&caches);

		feature_bytes(&caches, 3 * sizeof(uint32_t)); /* line, sets, ways */
		feature_text(&caches);
		feature_text(&caches);
		struct xp_cpus *cpus = cpus_of(feature_text(&caches));
		for (int c = 0; c < xp_cpus_nr(cpus); c++) {
			uint32_t cpu = (uint32_t)xp_cpus_at(cpus, c).nr;

			if (cpu >= nr || level > XP_CACHE_LEVEL_MAX ||
			    (wanted ? (int)level != wanted : (int)level <= places[cpu].cache_level))
				continue;
			places[cpu].cache_level = (int)level;
			places[cpu].cache = xp_cpus_at(cpus, 0).nr;
		}
		xp_cpus_unref(cpus);
	}
}

int places_set(struct recording *rec, const struct xp_cpus *cpus, int level)
{
	int last = xp_cpus_at(cpus, xp_cpus_nr(cpus) - 1).nr, err = 0;
	uint32_t nr = last < 0 ? 0 : (uint32_t)last + 1;
	struct xp_place *places = calloc(nr + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		places[cpu] = (struct xp_place){ .cluster = -1, .cache_level = level, .cache = -1 };
	load_topology(rec->data, places, nr);
	load_nodes(rec->data, places, nr);
	load_caches(rec->data, level, places, nr);
	for (int i = 0; i < xp_cpus_nr(cpus) && !err; i++)
		err = xp_place_set(rec->ctx, xp_cpus_at(cpus, i), &places[xp_cpus_at(cpus, i).nr]);
	free(places);
	return err;
}
