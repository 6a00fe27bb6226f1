/* SPDX-License-Identifier: MIT */
/* Buckets of time. Fifty of them are a column of a heat map, see docs/html-report.md. */
#include "buckets.h"

#include <string.h>
#include <xperf/profile.h>

#include "header.h"

/* So many combinations of thread, bucket and chain are kept, of about 100 bytes each. */
enum { MOST_DISTINCT = 1 << 20, MOST_BUCKETS = 1 << 20 };

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

/* A second, or as much less of it as a short recording needs for 25 columns, is 50 buckets. */
static uint64_t choose_length(uint64_t duration_ns)
{
	enum { COLUMNS = 25, ROWS = 50 };
	uint64_t span_ns = 1000000000;

	while (span_ns > 10000 && duration_ns / span_ns < COLUMNS)
		span_ns /= 10;
	return span_ns / ROWS;
}

/* 20 ms, 100 ms, 200 ms, 1 s, and so on: each a multiple of the one before. */
static uint64_t next_length(uint64_t length_ns)
{
	uint64_t digit = length_ns;

	while (digit >= 10)
		digit /= 10;
	return length_ns * (digit == 2 ? 5 : 2);
}

static void set_length(struct buckets *buckets, uint64_t length_ns)
{
	buckets->bucket_ns = length_ns;
	buckets->nr = (buckets->last_ns - buckets->first_ns) / length_ns + 1;
}

int buckets_choose(struct recording *rec, struct buckets *ret_buckets)
{
	uint64_t bounds[2] = { UINT64_MAX, 0 }; /* no sample has a time */
	int err = rec->without_times ? 0 : find_bounds(rec, bounds);

	*ret_buckets = (struct buckets){ .nr = 1 };
	if (err || bounds[0] > bounds[1])
		return err;
	ret_buckets->first_ns = bounds[0];
	ret_buckets->last_ns = bounds[1];
	set_length(ret_buckets, choose_length(bounds[1] - bounds[0]));
	while (ret_buckets->nr > MOST_BUCKETS)
		set_length(ret_buckets, next_length(ret_buckets->bucket_ns));
	return 0;
}

static uint32_t wider(uint32_t bucket, void *data)
{
	return bucket / *(const uint32_t *)data;
}

int buckets_bound(struct buckets *buckets, struct xp_profile *profile)
{
	int err = 0;

	while (!err && buckets->nr > 1 && xp_profile_nr_distinct(profile) > MOST_DISTINCT) {
		uint64_t length_ns = next_length(buckets->bucket_ns);
		uint32_t factor = (uint32_t)(length_ns / buckets->bucket_ns);

		set_length(buckets, length_ns);
		err = xp_profile_merge_tags(profile, wider, &factor);
	}
	return err;
}

uint32_t buckets_find(const struct buckets *buckets, uint64_t time_ns)
{
	if (!buckets->bucket_ns || time_ns == XP_NO_TIME || time_ns < buckets->first_ns)
		return 0;
	uint64_t bucket = (time_ns - buckets->first_ns) / buckets->bucket_ns;
	return (uint32_t)(bucket < buckets->nr ? bucket : buckets->nr - 1);
}
