/* SPDX-License-Identifier: MIT */
/* Source of the layout: perf_event_open(2), "Reading results". */
#include "readings.h"

#include <stdlib.h>
#include <xperf/attr.h>

enum {
	SAMPLE_READ = 1 << 4,
	FORMAT_ENABLED = 1,
	FORMAT_RUNNING = 2,
	FORMAT_ID = 4,
	FORMAT_GROUP = 8,
	FORMAT_LOST = 16,
};

struct slot {
	uint64_t id, value;
	int event;
};

struct readings {
	const struct xp_data *data;
	size_t nr;
	struct slot slots[]; /* by id */
};

static int compare(const void *a, const void *b)
{
	uint64_t l = ((const struct slot *)a)->id, r = ((const struct slot *)b)->id;

	return (l > r) - (l < r);
}

struct readings *readings_new(const struct xp_data *data)
{
	int nr_events = xp_data_nr_events(data);
	size_t nr = 0;

	for (int i = 0; i < nr_events; i++)
		nr += xp_data_event_at(data, i)->nr_ids;
	struct readings *readings = calloc(1, sizeof(*readings) + nr * sizeof(struct slot));
	if (!readings)
		return NULL;
	readings->data = data;
	for (int i = 0; i < nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(data, i);

		for (size_t k = 0; k < event->nr_ids; k++)
			readings->slots[readings->nr++] =
				(struct slot){ .id = event->ids[k], .event = i };
	}
	qsort(readings->slots, readings->nr, sizeof(struct slot), compare);
	return readings;
}

void readings_free(struct readings *readings)
{
	free(readings);
}

/* One event's part of a reading. */
static int each(struct readings *readings, const uint64_t *value, uint64_t id,
		const struct xp_sample *sample,
		int (*fn)(int event, const struct xp_sample *sample, void *data), void *data)
{
	const struct slot key = { .id = id };
	struct slot *slot =
		bsearch(&key, readings->slots, readings->nr, sizeof(struct slot), compare);
	struct xp_sample one = *sample;

	if (!slot)
		return 0;
	one.id.id = id;
	one.period = *value - slot->value;
	slot->value = *value;
	return one.period ? fn(slot->event, &one, data) : 0;
}

int readings_each(struct readings *readings, int event, const struct xp_sample *sample,
		  int (*fn)(int event, const struct xp_sample *sample, void *data), void *data)
{
	const struct xp_attr *attr = &xp_data_event_at(readings->data, event)->attr;
	uint64_t format = attr->read_format;
	bool group = format & FORMAT_GROUP;
	size_t times = !!(format & FORMAT_ENABLED) + !!(format & FORMAT_RUNNING);
	size_t words = 1 + !!(format & FORMAT_ID) + !!(format & FORMAT_LOST);
	size_t first = group ? 1 + times : 0, id_at = group ? 1 : 1 + times;
	size_t nr = group && sample->nr_read_words ? (size_t)sample->read[0] : 1;
	int err = 0;

	if (!(attr->sample_type & SAMPLE_READ) || !(format & FORMAT_ID))
		return fn(event, sample, data);
	for (size_t i = 0; i < nr && !err && first + i * words + id_at < sample->nr_read_words;
	     i++) {
		const uint64_t *at = &sample->read[first + i * words];

		err = each(readings, at, at[id_at], sample, fn, data);
	}
	return err;
}
