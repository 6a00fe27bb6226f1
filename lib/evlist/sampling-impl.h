/* SPDX-License-Identifier: MIT */
/* How the attributes of a list that is recorded are made. */
#ifndef EVLIST_SAMPLING_IMPL_H
#define EVLIST_SAMPLING_IMPL_H

#include <xperf/sampling.h>

#include "list-impl.h"
#include "sampling.h"

/* What the attributes of a list are made from. */
struct xp_sampling {
	struct xp_evlist *evlist;
	struct xp_sampling_opts opts;
	uint64_t max_rate; /* Hz */
	struct xp_diag *diag;
};

/* Sets all that one event asks for, but what the other events of the list decide (sampling.c).
 * Returns 0 or -EINVAL with the diag filled. */
int xp_sampling_config_event(const struct xp_sampling *s, struct xp_evsel *evsel);

/* Its PMU writes into an AUX area: Intel PT, Arm SPE. */
bool xp_evsel_has_aux(const struct xp_evsel *evsel);
/* True if one of the events has. */
bool xp_evlist_has_aux(const struct xp_evlist *evlist);

#endif
