/* SPDX-License-Identifier: MIT */
/* Samples that hold a reading (-e '{...}:S'): one of them stands for a sample of each event that
 * was read. */
#ifndef RECORDING_READINGS_H
#define RECORDING_READINGS_H

#include <xperf/api.h>

/* What each id, or each thread under it, had counted when it was read last. */
struct readings;
struct xp_data;
struct xp_sample;

/* Once all events are known. Returns NULL without memory. */
struct readings *readings_new(const struct xp_data *data);
void readings_free(struct readings *readings);

/*
 * Calls @fn for each event in the reading of a sample of @event, with what it has counted since the
 * reading before as period; not where that is nothing. Samples come in the order of the file.
 * Returns 0 or what @fn returned.
 */
int readings_each(struct readings *readings, int event, const struct xp_sample *sample,
		  int (*fn)(int event, const struct xp_sample *sample, void *data), void *data);

#endif
