/* SPDX-License-Identifier: MIT */
/* Buckets of time. Fifty of them are a column of a heat map, see docs/html-report.md. */
#include "buckets.h"

#include <string.h>

#include "header.h"

/* The first and the last time, as the header has them; otherwise by a pass over the samples. */
static int find_bounds(struct recording *rec, uint64_t bounds[2])
{
	struct feature times = feature_of(rec->data, XP_FEATURE_SAMPLE_TIME);
	const struct xp_record *record;
	int more = 0;

	for (int i = 0; i < 2; i++)
		bounds[i] = feature_u64(&times);
	if (!times.is_short && bounds[1] > bounds[0])
		return 0;
	bounds[0] = UINT64_MAX;
	bounds[1] = 0;
	int err = recording_rewind(rec);
	while (!err && (more = recording_next(rec, &record)) > 0) {
		if (record->type != XP_RECORD_SAMPLE)
			continue;
		uint64_t time_ns = recording_time(rec, record);
		if (time_ns == XP_NO_TIME)
			continue;
		bounds[0] = time_ns < bounds[0] ? time_ns : bounds[0];
		bounds[1] = time_ns > bounds[1] ? time_ns : bounds[1];
	}
	return err ? err : more;
}

/* Of a recording of so many samples, what is counted per thread, bucket and chain is less than
 * they are; of more samples, it must be much less. */
static uint64_t most_buckets(uint64_t nr_samples)
{
	enum { MANY = 2000000, TOO_MANY = 20000000 };

	return nr_samples <= MANY ? 1 << 20 : nr_samples <= TOO_MANY ? 3000 : 300;
}

/* A second, or as much less of it as a short recording needs for 25 columns, is 50 buckets. */
static uint64_t choose_length(uint64_t duration_ns, uint64_t most)
{
	enum { COLUMNS = 25, ROWS = 50 };
	static const uint64_t factors[] = { 5, 2, 5 };
	uint64_t span_ns = 1000000000, length_ns;

	while (span_ns > 10000 && duration_ns / span_ns < COLUMNS)
		span_ns /= 10;
	length_ns = span_ns / ROWS;
	/* 20 ms, 100 ms, 200 ms, 1 s, and so on: each a multiple of the one before. */
	for (size_t i = 0; duration_ns / length_ns >= most; i++)
		length_ns *= i < 3 ? factors[i] : 10;
	return length_ns;
}

int buckets_choose(struct recording *rec, struct buckets *ret_buckets)
{
	uint64_t bounds[2] = { UINT64_MAX, 0 }; /* no sample has a time */
	int err = rec->without_times ? 0 : find_bounds(rec, bounds);

	*ret_buckets = (struct buckets){ .nr = 1 };
	if (err || bounds[0] > bounds[1])
		return err;
	ret_buckets->first_ns = bounds[0];
	ret_buckets->bucket_ns =
		choose_length(bounds[1] - bounds[0], most_buckets(rec->nr_samples));
	ret_buckets->nr = (bounds[1] - bounds[0]) / ret_buckets->bucket_ns + 1;
	return 0;
}

uint32_t buckets_find(const struct buckets *buckets, uint64_t time_ns)
{
	if (!buckets->bucket_ns || time_ns == XP_NO_TIME || time_ns < buckets->first_ns)
		return 0;
	uint64_t bucket = (time_ns - buckets->first_ns) / buckets->bucket_ns;
	return (uint32_t)(bucket < buckets->nr ? bucket : buckets->nr - 1);
}
