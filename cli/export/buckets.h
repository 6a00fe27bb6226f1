/* SPDX-License-Identifier: MIT */
/* When samples were taken, in buckets of time that are the tags of samples of a profile. */
#ifndef EXPORT_BUCKETS_H
#define EXPORT_BUCKETS_H

#include "recording.h"

/* @bucket_ns: 0: the recording has no times, and there is one bucket */
struct buckets {
	uint64_t first_ns, bucket_ns, nr;
};

/* After recording_load(): as fine as the length of the recording and the number of its samples
 * allow. Returns 0 or a negative errno. */
int buckets_choose(struct recording *rec, struct buckets *ret_buckets);
/* The bucket of a time; XP_NO_TIME is in the first. */
uint32_t buckets_find(const struct buckets *buckets, uint64_t time_ns);

#endif
