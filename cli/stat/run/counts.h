/* SPDX-License-Identifier: MIT */
/* The counts of one run: as they are now, and in intervals as they were and how they differ. */
#ifndef CLI_STAT_COUNTS_H
#define CLI_STAT_COUNTS_H

#include <xperf/api.h>

struct xp_counts;
struct xp_cpus;
struct xp_evlist;

/* Zero-initialised holds none; end with run_counts_free(). */
struct run_counts {
	struct xp_counts *now; /* this and the next: NULL with --null */
	struct xp_counts *before;
	struct xp_counts *delta;
};

/* Makes them for an open list. Returns 0 or -ENOMEM, to be freed also then. */
int run_counts_make(struct run_counts *counts, const struct xp_evlist *evlist, bool intervals);
/*
 * Makes room for the CPUs that the list has got since it had @cpus. What was counted before stays;
 * @now and @delta are to be read again. Returns 0 or -ENOMEM; nothing is changed then.
 */
int run_counts_widen(struct run_counts *counts, const struct xp_evlist *evlist,
		     const struct xp_cpus *cpus);
void run_counts_free(struct run_counts *counts);

#endif
