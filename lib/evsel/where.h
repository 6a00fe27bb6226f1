/* SPDX-License-Identifier: MIT */
/* On which of the CPUs asked for an event can be opened. */
#ifndef EVSEL_WHERE_H
#define EVSEL_WHERE_H

#include "open.h"

/*
 * Fills evsel->elsewhere, by what its PMU, its cpu= and the packages say; the caller frees it.
 * Returns 0, 1 (nowhere: the reason is set), -ENOMEM.
 */
int xp_evsel_find_where(struct xp_evsel *evsel, const struct xp_open_args *args);

/*
 * Makes evsel->elsewhere that of more CPUs: nothing changes where the event was open already, on
 * @before. @ret_elsewhere is the caller's to free; NULL: the event is counted on all of them.
 * Returns 0 or -ENOMEM.
 */
int xp_evsel_widen_where(const struct xp_evsel *evsel, const struct xp_open_args *args,
			 const struct xp_cpus *before, bool **ret_elsewhere);

/*
 * Whether its PMU and terms let it count on the CPU at position @cpu_idx of the set it was opened
 * with. Returns true or false; true for all before it was opened.
 */
bool xp_evsel_counts_on(const struct xp_evsel *evsel, int cpu_idx);

#endif
