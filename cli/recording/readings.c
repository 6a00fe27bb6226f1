/* SPDX-License-Identifier: MIT */
/*
 * What a reading has counted since the one before. Each thread that inherits a group has counters
 * of its own, under the ids of the first one's (Linux 6.12, perf 6.13).
 */
#include "readings.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/sample.h>

#include "hash.h"
#include "index.h"
#include "vec.h"

/* An id of an event. */
struct id {
	uint64_t id;
	int event;
};

/* What a counter has said last. @key: of ids. @tid: -1: the counter is the id's */
struct last {
	size_t key;
	int32_t tid;
	uint64_t value;
};

struct readings {
	const struct xp_data *data;
	struct last *lasts;
	size_t nr_lasts;
	struct index index; /* of @lasts */
	uint64_t seed;
	size_t nr;
	struct id ids[]; /* in order */
};

static int compare(const void *a, const void *b)
{
	uint64_t l = ((const struct id *)a)->id, r = ((const struct id *)b)->id;

	return (l > r) - (l < r);
}

struct readings *readings_new(const struct xp_data *data)
{
	int nr_events = xp_data_nr_events(data);
	size_t nr = 0;

	for (int i = 0; i < nr_events; i++)
		nr += xp_data_event_at(data, i)->nr_ids;
	struct readings *readings = calloc(1, sizeof(*readings) + nr * sizeof(struct id));
	if (!readings)
		return NULL;
	readings->data = data;
	readings->seed = xp_hash_seed();
	for (int i = 0; i < nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(data, i);

		for (size_t k = 0; k < event->nr_ids; k++)
			readings->ids[readings->nr++] =
				(struct id){ .id = event->ids[k], .event = i };
	}
	qsort(readings->ids, readings->nr, sizeof(struct id), compare);
	return readings;
}

void readings_free(struct readings *readings)
{
	if (readings) {
		free(readings->lasts);
		index_fini(&readings->index);
	}
	free(readings);
}

/* Returns NULL without memory. */
static struct last *last_of(struct readings *readings, size_t key, int32_t tid)
{
	uint64_t hash = xp_hash_word(readings->seed, (uint64_t)key << 32 ^ (uint32_t)tid);
	size_t at;

	for (struct index_walk walk = index_walk(&readings->index, hash); index_next(&walk, &at);)
		if (readings->lasts[at].key == key && readings->lasts[at].tid == tid)
			return &readings->lasts[at];
	if (vec_add(&readings->lasts, readings->nr_lasts, sizeof(*readings->lasts)) ||
	    index_add(&readings->index, hash, readings->nr_lasts))
		return NULL;
	struct last *last = &readings->lasts[readings->nr_lasts++];
	*last = (struct last){ .key = key, .tid = tid };
	return last;
}

/*
 * What was counted since the reading before. A counter only goes up. If it says much less than
 * before, it is another one: that of a thread with the same number, from 0 on. If it says a little
 * less, the record came late, and what it says was counted already.
 */
static uint64_t advance(struct last *last, uint64_t value)
{
	uint64_t before = last->value;
	bool is_another = value < before / 2;

	if (value < before && !is_another)
		return 0;
	last->value = value;
	return is_another ? value : value - before;
}

/* One event's part of a reading. */
static int each(struct readings *readings, const struct xp_read_value *value,
		const struct xp_sample *sample,
		int (*fn)(int event, const struct xp_sample *sample, void *data), void *data)
{
	const struct id wanted = { .id = value->id };
	struct id *known = bsearch(&wanted, readings->ids, readings->nr, sizeof(wanted), compare);
	struct xp_sample one = *sample;

	if (!known)
		return 0;
	const struct xp_attr *attr = &xp_data_event_at(readings->data, known->event)->attr;
	size_t key = (size_t)(known - readings->ids);
	int32_t tid = attr->inherit ? sample->id.tid : -1;
	struct last *last = last_of(readings, key, tid);
	if (!last)
		return -ENOMEM;
	one.id.id = value->id;
	one.period = advance(last, value->value);
	return one.period ? fn(known->event, &one, data) : 0;
}

int readings_each(struct readings *readings, int event, const struct xp_sample *sample,
		  int (*fn)(int event, const struct xp_sample *sample, void *data), void *data)
{
	const struct xp_attr *attr = &xp_data_event_at(readings->data, event)->attr;
	struct xp_reading reading;
	struct xp_read_value value;
	int err = 0;

	if (!(attr->sample_type & XP_SAMPLE_READ) || !(attr->read_format & XP_FORMAT_ID))
		return fn(event, sample, data);
	if (xp_reading_decode(sample->read, sample->nr_read_words, attr->read_format, &reading))
		return 0;
	for (size_t i = 0; !err && !xp_reading_value(&reading, i, &value); i++)
		err = each(readings, &value, sample, fn, data);
	return err;
}
