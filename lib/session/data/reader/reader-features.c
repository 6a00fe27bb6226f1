/* SPDX-License-Identifier: MIT */
/*
 * What the features say of the events: their names (EVENT_DESC) and groups (GROUP_DESC); and the
 * features of streams, which come as records.
 *
 * Source: Documentation/perf.data-file-format.txt of perf.
 */
#include "reader-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/traces.h>

#include "cursor.h"
#include "traces.h"

static struct cursor cursor_of(const struct xp_data *data, enum xp_feature feature)
{
	size_t len = 0;
	const uint8_t *at = xp_data_feature(data, feature, &len);

	return (struct cursor){ at, at ? at + len : NULL, !at };
}

static uint32_t consume_u32(const struct xp_data *data, struct cursor *c)
{
	const uint8_t *at = consume(c, sizeof(uint32_t));

	return at ? load_u32(at, data->swapped) : 0;
}

/* A string: its length with all padding, then as much. */
static const char *consume_string(const struct xp_data *data, struct cursor *c, size_t *ret_len)
{
	*ret_len = consume_u32(data, c);
	return consume(c, *ret_len);
}

/* The event a description is of: the one at the same position, unless its ids say another. */
static int described(const struct xp_data *data, uint32_t position, const uint8_t *ids, uint32_t nr)
{
	int idx = -1;

	if (nr)
		idx = xp_id_map_find(&data->ids, load_u64(ids, data->swapped));
	if (idx < 0 && position < (uint32_t)data->nr_events)
		idx = (int)position;
	return idx;
}

/* u32 number, u32 bytes of an attribute; each: attribute, u32 number of ids, name, ids. */
static int use_event_desc(struct xp_data *data)
{
	struct cursor c = cursor_of(data, XP_FEATURE_EVENT_DESC);
	uint32_t nr = consume_u32(data, &c), attr_bytes = consume_u32(data, &c);

	for (uint32_t i = 0; i < nr && !c.bad; i++) {
		size_t len;

		consume(&c, attr_bytes);
		uint32_t nr_ids = consume_u32(data, &c);
		const char *name = consume_string(data, &c, &len);
		const uint8_t *ids = consume(&c, (uint64_t)nr_ids * sizeof(uint64_t));
		if (c.bad)
			break;
		int idx = described(data, i, ids, nr_ids);
		if (idx < 0 || !strnlen(name, len) || data->events[idx]->named)
			continue;
		if (xp_reader_set_name(data->events[idx], name, len))
			return -ENOMEM;
	}
	return 0;
}

static int set_group(struct xp_data *data, const char *name, size_t len, uint32_t leader,
		     uint32_t members)
{
	struct xp_reader_event *first;

	if (leader >= (uint32_t)data->nr_events || members > (uint32_t)data->nr_events - leader)
		return 0;
	for (uint32_t i = 0; i < members; i++)
		data->events[leader + i]->pub.leader = (int)leader;
	first = data->events[leader];
	if (!strnlen(name, len) || !strncmp(name, "{anon_group}", len))
		return 0;
	return xp_reader_set_text(&first->group_name, &first->pub.group_name, name, len);
}

/* u32 number; each: name, u32 position of the leader, u32 members, which follow it. */
static int use_group_desc(struct xp_data *data)
{
	struct cursor c = cursor_of(data, XP_FEATURE_GROUP_DESC);
	uint32_t nr = consume_u32(data, &c), left = (uint32_t)data->nr_events;

	for (uint32_t i = 0; i < nr && !c.bad; i++) {
		size_t len;
		const char *name = consume_string(data, &c, &len);
		uint32_t leader = consume_u32(data, &c), members = consume_u32(data, &c);

		/* No event is in two groups. */
		if (c.bad || members > left)
			break;
		left -= members;
		if (set_group(data, name, len, leader, members))
			return -ENOMEM;
	}
	return 0;
}

static bool is_unnamed_tracepoint(const struct xp_reader_event *event)
{
	return event->pub.attr.type == XP_TYPE_TRACEPOINT && !event->named;
}

/* Streams of old versions of perf have no names, but the formats do. */
static int name_tracepoints(struct xp_data *data)
{
	const struct xp_reader_feature *feature = &data->features[XP_FEATURE_TRACING_DATA];
	struct xp_traces *traces;
	int first = 0, err;

	while (first < data->nr_events && !is_unnamed_tracepoint(data->events[first]))
		first++;
	if (!feature->at || first == data->nr_events)
		return 0;
	err = xp_traces_new(feature->at, feature->len, &traces, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (int i = first; i < data->nr_events && !err; i++) {
		struct xp_reader_event *event = data->events[i];
		const char *name = is_unnamed_tracepoint(event)
					   ? xp_traces_name(traces, event->pub.attr.config)
					   : NULL;

		if (name)
			err = xp_reader_set_name(event, name, strlen(name));
	}
	xp_traces_free(traces);
	return err;
}

int xp_reader_use_features(struct xp_data *data)
{
	return use_event_desc(data) ?: name_tracepoints(data) ?: use_group_desc(data);
}

int xp_reader_set_feature(struct xp_data *data, uint64_t feature, const void *bytes, size_t len)
{
	if (feature >= XP_FEATURE_MAX)
		return 0;
	/* Streams say at their end what was not known at their beginning; callers keep pointers. */
	struct xp_reader_feature *known = &data->features[feature];
	if (feature == XP_FEATURE_SAMPLE_TIME && known->own && known->len == len)
		memcpy(known->own, bytes, len);
	if (known->at)
		return 0;
	void *own = malloc(len + 1);
	if (!own)
		return -ENOMEM;
	memcpy(own, bytes, len);
	data->features[feature] = (struct xp_reader_feature){ own, len, own };
	switch (feature) {
	case XP_FEATURE_EVENT_DESC:
		return use_event_desc(data);
	case XP_FEATURE_GROUP_DESC:
		return use_group_desc(data);
	case XP_FEATURE_PMU_MAPPINGS:
		return xp_reader_name_events(data, 0);
	case XP_FEATURE_TRACING_DATA:
		return name_tracepoints(data);
	default:
		return 0;
	}
}
