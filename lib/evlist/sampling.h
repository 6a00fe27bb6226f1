/* SPDX-License-Identifier: MIT */
/* Recording from inside lib/evlist. */
#ifndef EVLIST_SAMPLING_H
#define EVLIST_SAMPLING_H

#include <xperf/sampling.h>

#include "list.h"

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

/* Samples lost of an event at one position of its descriptors; 0 where it is not open. */
uint64_t xp_evsel_lost_at(const struct xp_evsel *evsel, int cell);

/* Its PMU writes into an AUX area: Intel PT, Arm SPE. */
bool xp_evsel_has_aux(const struct xp_evsel *evsel);
/* True if one of the events has. */
bool xp_evlist_has_aux(const struct xp_evlist *evlist);

#endif
