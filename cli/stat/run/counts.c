/* SPDX-License-Identifier: MIT */
/* Tables of counts that follow the set of CPUs a list is open on. */
#include <xperf/cpus.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "counts.h"

int run_counts_make(struct run_counts *counts, const struct xp_evlist *evlist, bool intervals)
{
	int nr_cpus = xp_cpus_nr(xp_evlist_cpus(evlist));
	int nr_threads = xp_threads_nr(xp_evlist_threads(evlist));
	struct xp_counts **tables[] = { &counts->now, &counts->before, &counts->delta };
	int err = 0;

	for (int i = 0; !err && i < (intervals ? 3 : 1); i++)
		err = xp_counts_new(xp_evlist_nr(evlist), nr_cpus, nr_threads, tables[i]);
	return err;
}

/* A CPU can be at another position than before. */
static void copy_cpu(struct xp_counts *to, int to_idx, const struct xp_counts *from, int from_idx)
{
	for (int i = 0; i < xp_counts_nr_events(from); i++)
		for (int t = 0; t < xp_counts_nr_threads(from); t++)
			*xp_counts_at(to, i, to_idx, t) = *xp_counts_at(from, i, from_idx, t);
}

int run_counts_widen(struct run_counts *counts, const struct xp_evlist *evlist,
		     const struct xp_cpus *cpus)
{
	struct run_counts wide = { 0 };
	int err = run_counts_make(&wide, evlist, counts->before != NULL);

	if (err) {
		run_counts_free(&wide);
		return err;
	}
	for (int c = 0; counts->before && c < xp_cpus_nr(cpus); c++)
		copy_cpu(wide.before, xp_cpus_find(xp_evlist_cpus(evlist), xp_cpus_at(cpus, c)),
			 counts->before, c);
	run_counts_free(counts);
	*counts = wide;
	return 0;
}

void run_counts_free(struct run_counts *counts)
{
	xp_counts_free(counts->now);
	xp_counts_free(counts->before);
	xp_counts_free(counts->delta);
	*counts = (struct run_counts){ 0 };
}
