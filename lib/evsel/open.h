/* SPDX-License-Identifier: MIT */
/* Opening one event, alone or as a member of a group that is being opened. */
#ifndef EVSEL_OPEN_H
#define EVSEL_OPEN_H

#include "event.h"

struct xp_open_args {
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	const struct xp_evsel *leader; /* open already; NULL: the event leads or is alone */
};

/*
 * Opens an event on every CPU and thread, climbing down the ladder (ladder.c) where the kernel
 * refuses. Returns 0 if the event counts somewhere; 1 if this machine cannot count it: it is
 * XP_NOT_SUPPORTED then, with a reason; or a negative errno with @diag filled if nothing
 * can be counted this way at all. Nothing is open unless 0 was returned.
 */
int xp_evsel_open_with(struct xp_evsel *evsel, const struct xp_open_args *args,
		       struct xp_diag *diag);

/* Returns 0, or -EMFILE with @diag filled if CPUs times threads is more than an int holds. */
int xp_open_check_cells(const struct xp_open_args *args, struct xp_diag *diag);

/* Opens one cell with the attribute as it is now; no ladder. Returns a descriptor or -errno. */
int xp_evsel_open_cell(const struct xp_evsel *evsel, const struct xp_open_args *args, int cpu_idx,
		       int thread_idx);

#endif
