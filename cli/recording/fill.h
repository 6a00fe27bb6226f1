/* SPDX-License-Identifier: MIT */
/* The samples of a recording, counted. */
#ifndef RECORDING_FILL_H
#define RECORDING_FILL_H

#include <xperf/api.h>

#include "recording.h"

struct xp_profile;
struct xp_profile_row;
struct xp_sample;

/*
 * Second pass: adds the samples that the filter lets pass to a profile, by several threads where
 * that is possible. @nr_threads: 0: as many as there are CPUs; @keep: which of them count besides,
 * may be called by several threads at once; NULL: all. Returns 0 or a negative errno.
 */
int recording_fill(struct recording *rec, struct xp_profile *profile, int nr_threads,
		   bool (*keep)(int event, const struct xp_sample *sample, void *data), void *data);

/* Whether a row passes the filter by its thread and its place. */
bool recording_keeps_row(const struct recording *rec, const struct xp_profile_row *row);

#endif
