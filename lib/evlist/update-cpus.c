/* SPDX-License-Identifier: MIT */
/*
 * An open list on more CPUs than before. Sets of CPUs are sorted, so that a CPU that came later can
 * move the positions of others: all that is kept by position is copied to its new place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "list-impl.h"
#include "open.h"
#include "where.h"

/* Of one event: what is kept by position, for the larger set. */
struct wide_event {
	int *fds; /* NULL: it is not open */
	bool *elsewhere;
};

struct wide {
	struct wide_event *events;
	enum xp_cpu_state *states;
	struct xp_counts *kept;
};

static void free_wide(struct wide *wide, int nr_events)
{
	for (int i = 0; wide->events && i < nr_events; i++) {
		free(wide->events[i].fds);
		free(wide->events[i].elsewhere);
	}
	free(wide->events);
	free(wide->states);
	xp_counts_free(wide->kept);
}

static int new_position(const struct xp_evlist *evlist, const struct xp_cpus *cpus, int cpu_idx)
{
	return xp_cpus_find(cpus, xp_cpus_at(evlist->cpus, cpu_idx));
}

static int widen_event(const struct xp_evlist *evlist, const struct xp_evsel *evsel,
		       struct xp_cpus *cpus, struct wide_event *ret_wide)
{
	struct xp_open_args args = { .cpus = cpus, .threads = evlist->threads };
	size_t nr_threads = (size_t)xp_threads_nr(evlist->threads);
	size_t nr = (size_t)xp_cpus_nr(cpus) * nr_threads;

	if (!evsel->fds)
		return 0;
	ret_wide->fds = malloc(nr * sizeof(*ret_wide->fds));
	if (!ret_wide->fds)
		return -ENOMEM;
	memset(ret_wide->fds, -1, nr * sizeof(*ret_wide->fds));
	for (int i = 0; i < xp_cpus_nr(evlist->cpus); i++)
		memcpy(ret_wide->fds + (size_t)new_position(evlist, cpus, i) * nr_threads,
		       evsel->fds + (size_t)i * nr_threads, nr_threads * sizeof(*evsel->fds));
	return xp_evsel_widen_where(evsel, &args, evlist->cpus, &ret_wide->elsewhere);
}

static void copy_kept(const struct xp_evlist *evlist, const struct xp_cpus *cpus,
		      struct xp_counts *to)
{
	for (int e = 0; evlist->kept && e < evlist->nr; e++)
		for (int i = 0; i < xp_cpus_nr(evlist->cpus); i++)
			for (int t = 0; t < xp_threads_nr(evlist->threads); t++)
				*xp_counts_at(to, e, new_position(evlist, cpus, i), t) =
					*xp_counts_at(evlist->kept, e, i, t);
}

/* All that can fail. */
static int prepare(const struct xp_evlist *evlist, struct xp_cpus *cpus, struct wide *wide)
{
	int err;

	wide->events = calloc((size_t)evlist->nr, sizeof(*wide->events));
	wide->states = calloc((size_t)xp_cpus_nr(cpus), sizeof(*wide->states));
	if (!wide->events || !wide->states)
		return -ENOMEM;
	err = xp_counts_new(evlist->nr, xp_cpus_nr(cpus), xp_threads_nr(evlist->threads),
			    &wide->kept);
	for (int i = 0; !err && i < evlist->nr; i++)
		err = widen_event(evlist, evlist->at[i], cpus, &wide->events[i]);
	return err;
}

static void replace_event(struct xp_evsel *evsel, struct xp_cpus *cpus, struct wide_event *wide)
{
	if (!evsel->fds)
		return;
	free(evsel->fds);
	free(evsel->elsewhere);
	evsel->fds = wide->fds;
	evsel->elsewhere = wide->elsewhere;
	evsel->nr_elsewhere = wide->elsewhere ? xp_cpus_nr(cpus) : 0;
	*wide = (struct wide_event){ 0 };
	xp_cpus_unref(evsel->cpus);
	evsel->cpus = xp_cpus_ref(cpus);
}

int xp_evlist_widen(struct xp_evlist *evlist, struct xp_cpus *cpus)
{
	struct xp_cpus *before = evlist->cpus;
	struct wide wide = { 0 };
	int err = prepare(evlist, cpus, &wide);

	if (err) {
		free_wide(&wide, evlist->nr);
		return err;
	}
	for (int i = 0; i < xp_cpus_nr(cpus); i++)
		wide.states[i] = XP_CPU_BACK;
	for (int i = 0; i < xp_cpus_nr(before); i++)
		wide.states[new_position(evlist, cpus, i)] = evlist->cpu_states[i];
	copy_kept(evlist, cpus, wide.kept);
	for (int i = 0; i < evlist->nr; i++)
		replace_event(evlist->at[i], cpus, &wide.events[i]);
	free(evlist->cpu_states);
	evlist->cpu_states = wide.states;
	wide.states = NULL;
	xp_counts_free(evlist->kept);
	evlist->kept = wide.kept;
	wide.kept = NULL;
	free_wide(&wide, evlist->nr);

	evlist->cpus = xp_cpus_ref(cpus);
	xp_evlist_move_rings(evlist, before);
	xp_cpus_unref(before);
	return 0;
}
