/* SPDX-License-Identifier: MIT */
/*
 * Events of a recording of counts, as members of a list: they are not opened, their counts come
 * from the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "list-impl.h"

static int set_unit(struct xp_evsel *evsel, const struct xp_data_event *event)
{
	/* A unit without a scale, and one that no number can have, is not believed. */
	if (event->scale > 0 && event->scale < 1e300)
		evsel->scale = event->scale;
	if (!event->unit)
		return 0;
	evsel->own_unit = strdup(event->unit);
	if (!evsel->own_unit)
		return -ENOMEM;
	evsel->unit = evsel->own_unit;
	return 0;
}

/* Where the event was not counted. */
static int set_places(struct xp_evsel *evsel, const char *own_cpus, const struct xp_cpus *cpus)
{
	int nr = xp_cpus_nr(cpus);

	if (!own_cpus || xp_cpus_at(cpus, 0).nr < 0 ||
	    xp_cpus_parse(own_cpus, &evsel->own_cpus, NULL))
		return 0;
	evsel->elsewhere = calloc((size_t)nr, sizeof(*evsel->elsewhere));
	if (!evsel->elsewhere)
		return -ENOMEM;
	evsel->nr_elsewhere = nr;
	for (int i = 0; i < nr; i++)
		evsel->elsewhere[i] = xp_cpus_find(evsel->own_cpus, xp_cpus_at(cpus, i)) < 0;
	return 0;
}

int xp_evlist_add_recorded(struct xp_evlist *evlist, const struct xp_data_event *event,
			   const struct xp_cpus *cpus)
{
	struct xp_evsel *evsel;
	struct xp_attr attr = event->attr;

	attr.size = 0;
	int err = xp_evsel_new(evlist->ctx, &attr, event->name, &evsel);
	if (err)
		return err;
	evsel->support = event->nr_ids ? XP_SUPPORTED : XP_NOT_SUPPORTED;
	err = set_unit(evsel, event) ?: set_places(evsel, event->own_cpus, cpus)
					      ?: xp_evlist_add(evlist, evsel);
	if (err) {
		xp_evsel_free(evsel);
		return err;
	}
	struct xp_evsel *leader = xp_evlist_at(evlist, event->leader);
	if (leader && leader != evsel) {
		evsel->leader = leader;
		leader->group_size++;
	}
	return 0;
}
