/* SPDX-License-Identifier: MIT */
/*
 * Samples that hold a reading (-e '{...}:S'): one of them stands for a sample of each event that
 * was read. Source of the layout: perf_event_open(2), "Reading results".
 */
#include <errno.h>
#include <stdlib.h>

#include "script.h"

enum { FORMAT_ENABLED = 1, FORMAT_RUNNING = 2, FORMAT_ID = 4, FORMAT_GROUP = 8, FORMAT_LOST = 16 };

/* What an id had counted when it was read last. */
struct slot {
	uint64_t id, value;
};

struct previous {
	struct slot *at;
	size_t nr;
};

void readings_free(struct previous *previous)
{
	if (previous)
		free(previous->at);
	free(previous);
}

/* Ids of a group are few, and come in the same order each time. Returns NULL without memory. */
static struct slot *slot_of(struct script *script, uint64_t id)
{
	struct previous *previous = script->previous;
	struct slot *at;

	for (size_t i = 0; previous && i < previous->nr; i++)
		if (previous->at[i].id == id)
			return &previous->at[i];
	if (!previous)
		previous = script->previous = calloc(1, sizeof(*previous));
	at = previous ? reallocarray(previous->at, previous->nr + 1, sizeof(*at)) : NULL;
	if (!at)
		return NULL;
	previous->at = at;
	at[previous->nr] = (struct slot){ .id = id };
	return &at[previous->nr++];
}

/* The event of an id; NULL: there is none. */
static const struct view *view_of(const struct script *script, uint64_t id)
{
	for (int i = 0; i < script->nr_views; i++) {
		const struct xp_data_event *event = script->views[i].event;

		for (size_t k = 0; k < event->nr_ids; k++)
			if (event->ids[k] == id)
				return &script->views[i];
	}
	return NULL;
}

int readings_each(struct script *script, const struct view *view, const struct xp_sample *sample,
		  int (*fn)(struct script *script, const struct view *view,
			    const struct xp_sample *sample))
{
	uint64_t format = view->event->attr.read_format;
	bool group = format & FORMAT_GROUP;
	size_t times = !!(format & FORMAT_ENABLED) + !!(format & FORMAT_RUNNING);
	size_t each = 1 + !!(format & FORMAT_ID) + !!(format & FORMAT_LOST);
	size_t first = group ? 1 + times : 0;
	size_t nr = group && sample->nr_read_words ? (size_t)sample->read[0] : 1;
	size_t id_at = group ? 1 : 1 + times;
	int err = 0;

	if (!(format & FORMAT_ID))
		return fn(script, view, sample);
	for (size_t i = 0; i < nr && !err && first + i * each + id_at < sample->nr_read_words;
	     i++) {
		const uint64_t *words = &sample->read[first + i * each];
		const struct view *member = view_of(script, words[id_at]);
		struct slot *slot = member ? slot_of(script, words[id_at]) : NULL;
		struct xp_sample one = *sample;

		if (!slot && member)
			return -ENOMEM;
		if (!member)
			continue;
		one.period = words[0] - slot->value;
		slot->value = words[0];
		if (one.period)
			err = fn(script, member, &one);
	}
	return err;
}
