/* SPDX-License-Identifier: MIT */
/* Percentiles and powers of two of times that are kept in buckets. */
#include <math.h>
#include <xperf/functions.h>

#include "latency.h"

/* The middle of a bucket, of whole nanoseconds. */
static uint64_t middle(uint32_t bucket)
{
	return (latency_least(bucket) + latency_least(bucket + 1) - 1) / 2;
}

/* The nearest rank: the time of the call that has this many before it or at the same place. */
uint64_t xp_calls_percentile(const struct xp_calls *calls, double percent)
{
	double rank = ceil(percent / 100 * (double)calls->timed);
	uint64_t sum = 0;

	if (!calls->timed)
		return 0;
	for (uint32_t i = 0; i < LATENCY_BUCKETS - 1; i++) {
		sum += calls->buckets[i];
		if (sum && (double)sum >= rank) {
			uint64_t ns = middle(i);

			return calls->max_ns && ns > calls->max_ns ? calls->max_ns : ns;
		}
	}
	return 0;
}

uint64_t xp_calls_between(const struct xp_calls *calls, int power)
{
	uint64_t sum = power ? 0 : calls->buckets[0];

	if (power < 0 || power >= LATENCY_POWERS)
		return 0;
	for (uint32_t i = latency_bucket(1ULL << power); i < LATENCY_BUCKETS - 1; i++) {
		if (latency_least(i) >> power > 1)
			break;
		sum += calls->buckets[i];
	}
	return sum;
}
