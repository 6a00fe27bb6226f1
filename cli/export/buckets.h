/* SPDX-License-Identifier: MIT */
/* When samples were taken, in buckets of time that are the tags of samples of a profile. */
#ifndef EXPORT_BUCKETS_H
#define EXPORT_BUCKETS_H

#include <xperf/api.h>

#include "recording.h"

struct xp_profile;

/* @bucket_ns: 0: the recording has no times, and there is one bucket */
struct buckets {
	uint64_t first_ns, last_ns, bucket_ns, nr;
};

/* After recording_load(): as fine as the length of the recording allows. Returns 0 or a negative
 * errno. */
int buckets_choose(struct recording *rec, struct buckets *ret_buckets);
/* The bucket of a time; XP_NO_TIME is in the first. */
uint32_t buckets_find(const struct buckets *buckets, uint64_t time_ns);
/* Makes buckets wider, also those of the samples that were counted, when too many are kept apart.
 * Returns 0, -ENOMEM. */
int buckets_bound(struct buckets *buckets, struct xp_profile *profile);

#endif
