/* SPDX-License-Identifier: MIT */
/* The field metric: what the readings of a group, which its samples hold, come to. */
#ifndef SCRIPT_METRICS_H
#define SCRIPT_METRICS_H

#include <xperf/api.h>

struct metrics;
struct script;
struct xp_sample;

/* For the groups of the recording. Returns 0, -ENOMEM. */
int metrics_new(const struct script *script, struct metrics **ret_metrics);
void metrics_free(struct metrics *metrics);
/* Part of a reading: how often an event happened since the reading before. */
void metrics_note(struct metrics *metrics, int event, const struct xp_sample *sample);
/* The reading is complete: prints its metrics, a line each. Returns 0 or a negative errno. */
int metrics_show(struct script *script);

#endif
