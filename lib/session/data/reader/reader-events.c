/* SPDX-License-Identifier: MIT */
/* The events of a recording that is being read: attributes, ids, and what updates say of them. */
#include "reader-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/record.h>

#include "cleanup.h"

static int make_room(struct xp_data *data)
{
	int room = data->events_room ? data->events_room * 2 : 16;
	struct xp_reader_event **events;

	if (data->nr_events < data->events_room)
		return 0;
	events = realloc(data->events, (size_t)room * sizeof(struct xp_reader_event *));
	if (!events)
		return -ENOMEM;
	data->events = events;
	data->events_room = room;
	return 0;
}

int xp_reader_add_event(struct xp_data *data, const void *attr, size_t len, bool swapped)
{
	struct xp_reader_event *event = NULL;

	if (!make_room(data))
		event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	xp_attr_load(attr, len, swapped, &event->pub.attr);
	event->pub.size = sizeof(event->pub);
	event->pub.scale = 1.0;
	event->pub.leader = data->nr_events;
	data->events[data->nr_events++] = event;
	return 0;
}

void xp_reader_look_behind(struct xp_data *data, uint64_t offset, const uint8_t *at, size_t len)
{
	for (size_t i = sizeof(struct xp_attr); i < len; i++)
		if (at[i]) {
			xp_reader_report_foreign(data, offset + i,
						 "the attribute of event %d has a field this "
						 "version does not know",
						 data->nr_events - 1);
			return;
		}
}

int xp_reader_add_ids(struct xp_data *data, const void *ids, size_t nr, bool swapped)
{
	int idx = data->nr_events - 1;
	struct xp_reader_event *event = data->events[idx];

	if (!nr)
		return 0;
	event->ids = reallocarray(NULL, nr, sizeof(*event->ids));
	if (!event->ids)
		return -ENOMEM;
	event->pub.ids = event->ids;
	event->pub.nr_ids = nr;
	data->nr_ids += nr;
	for (size_t i = 0; i < nr; i++) {
		event->ids[i] = load_u64((const uint8_t *)ids + i * sizeof(uint64_t), swapped);
		if (xp_id_map_add(&data->ids, event->ids[i], idx))
			return -ENOMEM;
	}
	return 0;
}

int xp_reader_set_text(char **text, const char **pub, const char *bytes, size_t len)
{
	char *copy = strndup(bytes, len);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*pub = *text = copy;
	return 0;
}

/*
 * The type's name in PMU_MAPPINGS: u32 number, each u32 type and a string. It is looked for, and as
 * long, as it can be in earnest. The caller's to free; NULL: unknown.
 */
static char *pmu_of(const struct xp_data *data, uint32_t type)
{
	enum { PMUS_MAX = 4096, NAME_MAX_BYTES = 256 };
	size_t len;
	const uint8_t *at = xp_data_feature(data, XP_FEATURE_PMU_MAPPINGS, &len);
	size_t pos = 4;

	for (int i = 0; i < PMUS_MAX && at && len >= 8 && pos <= len - 8; i++) {
		uint32_t number = load_u32(at + pos, data->swapped);
		uint32_t bytes = load_u32(at + pos + 4, data->swapped);

		pos += 8;
		if (bytes > len - pos)
			return NULL;
		if (number == type)
			return strndup((const char *)at + pos,
				       bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES);
		pos += bytes;
	}
	return NULL;
}

int xp_reader_name_events(struct xp_data *data, int first)
{
	for (int i = first; i < data->nr_events; i++) {
		struct xp_reader_event *event = data->events[i];
		struct xp_str name = { 0 };

		if (event->named)
			continue;
		xp_auto_free char *pmu = pmu_of(data, event->pub.attr.type);
		xp_attr_name(&event->pub.attr, pmu, &name);
		free(event->name);
		event->pub.name = event->name = xp_str_detach(&name);
		if (!event->name)
			return -ENOMEM;
	}
	return 0;
}

int xp_reader_set_name(struct xp_reader_event *event, const char *name, size_t len)
{
	event->named = true;
	return xp_reader_set_text(&event->name, &event->pub.name, name, len);
}

static void add_range(struct xp_str *text, unsigned int first, unsigned int last)
{
	if (text->len)
		xp_str_add(text, ",", 1);
	xp_str_addf(text, first == last ? "%u" : "%u-%u", first, last);
}

/* Whether CPU @i belongs to a mask of @each bytes per word. */
static bool has_cpu(const uint8_t *mask, unsigned int each, unsigned int i)
{
	uint64_t word =
		each == 8 ? load_u64(mask + i / 64 * 8, false) : load_u32(mask + i / 32 * 4, false);

	return word >> (i % (each * 8)) & 1;
}

static void add_mask(struct xp_str *text, const uint8_t *at)
{
	unsigned int each = load_u16(at + 4, false), nr = load_u16(at + 2, false) * each * 8;
	const uint8_t *mask = at + (each == 8 ? 10 : 6);

	if (each != 4 && each != 8)
		return;
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int first = i;

		while (i < nr && has_cpu(mask, each, i))
			i++;
		if (i > first)
			add_range(text, first, i - 1);
	}
}

static void add_numbers(struct xp_str *text, const uint8_t *at)
{
	unsigned int nr = load_u16(at + 2, false);

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int first = load_u16(at + 4 + 2 * (size_t)i, false), last = first;

		while (i + 1 < nr && load_u16(at + 6 + 2 * (size_t)i, false) == last + 1) {
			last++;
			i++;
		}
		add_range(text, first, last);
	}
}

/* The CPUs of a checked set, as text: see check_cpus() in record.c. */
static int set_cpus(struct xp_reader_event *event, const uint8_t *at)
{
	enum { NUMBERS, MASK, RANGE };
	struct xp_str text = { 0 };

	switch (load_u16(at, false)) {
	case NUMBERS:
		add_numbers(&text, at);
		break;
	case MASK:
		add_mask(&text, at);
		break;
	case RANGE:
		add_range(&text, load_u16(at + 4, false), load_u16(at + 6, false));
		break;
	default:
		return 0;
	}
	char *cpus = xp_str_detach(&text);
	if (!cpus)
		return -ENOMEM;
	free(event->own_cpus);
	event->pub.own_cpus = event->own_cpus = cpus;
	return 0;
}

int xp_reader_update_event(struct xp_data *data, const struct xp_record *record)
{
	enum { UNIT, SCALE, NAME, CPUS };
	const uint8_t *at = (const uint8_t *)(record + 1);
	const char *text = (const char *)at + 16;
	int idx = xp_id_map_find(&data->ids, load_u64(at + 8, false));

	if (idx < 0)
		return 0;
	struct xp_reader_event *event = data->events[idx];
	switch (load_u64(at, false)) {
	case UNIT:
		return xp_reader_set_text(&event->unit, &event->pub.unit, text, strlen(text));
	case SCALE:
		memcpy(&event->pub.scale, text, sizeof(event->pub.scale));
		return 0;
	case NAME:
		return xp_reader_set_name(event, text, strlen(text));
	case CPUS:
		return set_cpus(event, at + 16);
	default:
		return 0;
	}
}

void xp_reader_free_events(struct xp_data *data)
{
	for (int i = 0; i < data->nr_events; i++) {
		struct xp_reader_event *event = data->events[i];

		free(event->name);
		free(event->unit);
		free(event->own_cpus);
		free(event->group_name);
		free(event->ids);
		free(event);
	}
	free(data->events);
	xp_id_map_fini(&data->ids);
}

bool xp_data_has_times(const struct xp_data *data)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		if (event->attr.sample_type & XP_SAMPLE_TIME)
			return true;
	return false;
}
