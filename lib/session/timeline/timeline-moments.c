/* SPDX-License-Identifier: MIT */
/*
 * Where records have equal times, the order in the file decides, as it does in perf. Lookups take
 * one number, a time; so each event of the timeline gets a time of its own, its moment, and a
 * record in the file is moved, by some nanoseconds at most, to between the events that are before
 * and behind it. The last of the events of one time keeps it: who looks up a time itself finds all
 * of them done.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "timeline-impl.h"

/* Most records have no event near them: a bit for each bucket of time shows it. */
enum { BUCKET_BITS = 8, BITS_PER_MOMENT = 32, MIN_BITS = 1 << 10, MAX_BITS = 1 << 24 };

static size_t bit_of(const struct moments *moments, uint64_t time_ns)
{
	return (size_t)((time_ns >> BUCKET_BITS) * 0x9e3779b97f4a7c15ULL >> 32) &
	       (moments->nr_bits - 1);
}

/* All times for which an event's own time and its moment are not on one side. Events are in order:
 * what was marked before is not marked again. */
static void mark(struct moments *moments, const struct moment *at, uint64_t *ret_next)
{
	uint64_t low = at->time_ns < at->moment_ns ? at->time_ns : at->moment_ns;
	uint64_t high = at->time_ns < at->moment_ns ? at->moment_ns : at->time_ns;
	uint64_t bucket = low >> BUCKET_BITS;

	if (bucket < *ret_next)
		bucket = *ret_next;
	for (; bucket <= high >> BUCKET_BITS; bucket++) {
		size_t bit = bit_of(moments, bucket << BUCKET_BITS);

		moments->near[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	*ret_next = bucket;
}

/* Each is before the next; from the last one backwards, so that the last of equal ones stays, and
 * then forwards, where there was not enough room above 0. */
static void spread(struct moments *moments)
{
	struct moment *at = moments->at;
	uint64_t next_ns = UINT64_MAX, last_ns = 0;

	for (size_t i = moments->nr; i-- > 0; next_ns = at[i].moment_ns)
		at[i].moment_ns = at[i].time_ns < next_ns ? at[i].time_ns
				  : next_ns > 1           ? next_ns - 1
							  : 1;
	for (size_t i = 0; i < moments->nr; last_ns = at[i++].moment_ns)
		if (at[i].moment_ns <= last_ns)
			at[i].moment_ns = last_ns + 1;
}

/* What has no time, and what was there before all others, needs no order. */
static size_t count_timeless(const struct vector *events)
{
	const struct event *at = events->at;
	size_t nr = 0;

	while (nr < events->nr && !at[nr].time_ns)
		nr++;
	return nr;
}

int xp_timeline_make_moments(struct xp_timeline *timeline)
{
	struct moments *moments = &timeline->moments;
	size_t timeless = count_timeless(&timeline->events), nr = timeline->events.nr - timeless;
	struct mapping *maps = timeline->maps.at;
	uint64_t next_bucket = 0;

	if (!nr || !timeline->has_positions)
		return 0;
	struct event *events = (struct event *)timeline->events.at + timeless;
	moments->nr_bits = MIN_BITS;
	while (moments->nr_bits < nr * BITS_PER_MOMENT && moments->nr_bits < MAX_BITS)
		moments->nr_bits *= 2;
	moments->at = calloc(nr, sizeof(*moments->at));
	moments->near = calloc(moments->nr_bits / 64, sizeof(*moments->near));
	if (!moments->at || !moments->near)
		return -ENOMEM;
	moments->nr = nr;
	for (size_t i = 0; i < nr; i++)
		moments->at[i] = (struct moment){ events[i].time_ns, events[i].position, 0 };
	spread(moments);
	for (size_t i = 0; i < nr; i++) {
		mark(moments, &moments->at[i], &next_bucket);
		events[i].time_ns = moments->at[i].moment_ns;
		if (events[i].kind == EVENT_MAP || events[i].kind == EVENT_UNMAP)
			maps[events[i].arg].time_ns = events[i].time_ns;
	}
	return 0;
}

void xp_timeline_free_moments(struct xp_timeline *timeline)
{
	free(timeline->moments.at);
	free(timeline->moments.near);
}

uint64_t xp_timeline_moment(const struct xp_timeline *timeline, uint64_t time_ns, uint64_t position)
{
	const struct moments *moments = &timeline->moments;
	size_t low = 0, high = moments->nr;

	if (!high || !time_ns || time_ns == XP_NO_TIME)
		return time_ns;
	size_t bit = bit_of(moments, time_ns);
	if (!(moments->near[bit / 64] >> bit % 64 & 1))
		return time_ns;
	/* The first event behind the record. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct moment *at = &moments->at[mid];

		if (at->time_ns < time_ns || (at->time_ns == time_ns && at->position <= position))
			low = mid + 1;
		else
			high = mid;
	}
	if (low < moments->nr && time_ns >= moments->at[low].moment_ns)
		return moments->at[low].moment_ns - 1;
	if (low && time_ns < moments->at[low - 1].moment_ns)
		return moments->at[low - 1].moment_ns;
	return time_ns;
}
