/* SPDX-License-Identifier: MIT */
/* What the format of Firefox Profiler has beside samples: markers of threads, and counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "firefox.h"
#include "vec.h"

/* --- markers --- */

static const char marker_type[] = "xperf";

static int add_moment(struct firefox *to, struct track *track, struct moment moment)
{
	if (vec_add(&track->moments, track->nr_moments, sizeof(moment)))
		return -ENOMEM;
	track->moments[track->nr_moments++] = moment;
	xp_firefox_note_time(to, moment.from_ns);
	xp_firefox_note_time(to, moment.to_ns);
	return 0;
}

int xp_firefox_add_mark(struct firefox *to, const struct stream_mark *mark)
{
	const struct moment moment = { .from_ns = mark->from_ns,
				       .to_ns = mark->to_ns,
				       .name = xp_firefox_text(to, mark->name),
				       .text = xp_firefox_text(to, mark->text) };
	struct track *track = xp_firefox_track_of(to, mark->task);

	return track ? add_moment(to, track, moment) : -ENOMEM;
}

int xp_firefox_add_hit(struct firefox *to, struct track *track, const struct tree_event *event,
		       uint64_t time_ns)
{
	if (!event->is_tracepoint)
		return 0;
	const struct moment moment = { .from_ns = time_ns,
				       .to_ns = time_ns,
				       .name = xp_firefox_text(to, event->name),
				       .text = xp_firefox_text(to, "") };
	return add_moment(to, track, moment);
}

void xp_firefox_schema(struct json *json)
{
	static const char *const places[] = { "marker-chart", "marker-table" };

	json_array(json, "markerSchema", &json_compact);
	json_object(json, NULL, &json_compact);
	json_string(json, "name", marker_type);
	json_array(json, "display", &json_compact);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		json_string(json, NULL, places[i]);
	json_end(json);
	json_string(json, "tableLabel", "{marker.data.text}");
	json_string(json, "tooltipLabel", "{marker.name} {marker.data.text}");
	json_array(json, "fields", &json_compact);
	json_object(json, NULL, &json_compact);
	json_string(json, "key", "text");
	json_string(json, "label", "Details");
	json_string(json, "format", "string");
	json_end(json);
	json_end(json);
	json_end(json);
	json_end(json);
}

static const char *text_at(const struct firefox *to, uint32_t nr)
{
	return ((const struct text *)xp_table_at(&to->texts, nr))->text;
}

static void put_data(struct json *json, const struct firefox *to, const struct moment *moment)
{
	json_object(json, NULL, &json_compact);
	json_string(json, "type", marker_type);
	json_string(json, "text", text_at(to, moment->text));
	json_end(json);
}

static void put_name(struct json *json, const struct firefox *to, const struct moment *moment)
{
	(void)to;
	json_uint(json, NULL, moment->name);
}

static void put_start(struct json *json, const struct firefox *to, const struct moment *moment)
{
	json_micro(json, NULL, moment->from_ns - to->first_ns);
}

static bool is_moment(const struct moment *moment)
{
	return moment->to_ns <= moment->from_ns;
}

static void put_end(struct json *json, const struct firefox *to, const struct moment *moment)
{
	if (is_moment(moment))
		json_null(json, NULL);
	else
		json_micro(json, NULL, moment->to_ns - to->first_ns);
}

/* Source: src/app-logic/constants.ts of the profiler: 0 is a moment, 1 an interval. */
static void put_phase(struct json *json, const struct firefox *to, const struct moment *moment)
{
	(void)to;
	json_uint(json, NULL, !is_moment(moment));
}

static void put_category(struct json *json, const struct firefox *to, const struct moment *moment)
{
	(void)to;
	(void)moment;
	json_uint(json, NULL, FIREFOX_OTHER);
}

void xp_firefox_markers(struct json *json, const struct firefox *to, const struct track *track)
{
	static const struct {
		const char *name;
		void (*put)(struct json *json, const struct firefox *to,
			    const struct moment *moment);
	} columns[] = {
		{ "data", put_data },   { "name", put_name },   { "startTime", put_start },
		{ "endTime", put_end }, { "phase", put_phase }, { "category", put_category },
	};

	json_object(json, "markers", &json_compact);
	json_uint(json, "length", track->nr_moments);
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		json_array(json, columns[c].name, &json_compact);
		for (size_t i = 0; i < track->nr_moments; i++)
			columns[c].put(json, to, &track->moments[i]);
		json_end(json);
	}
	json_end(json);
}

/* --- counters --- */

static int add_value(struct counter *counter, uint64_t time_ns, double value)
{
	if (vec_add(&counter->values, counter->nr, sizeof(*counter->values)))
		return -ENOMEM;
	counter->values[counter->nr++] = (struct counter_value){ time_ns, value };
	return 0;
}

/* Counters belong to a process, which has a thread; only markers and samples of threads say how
 * long the profile is. */
static int add_interval(struct firefox *to, const struct stream_count *count)
{
	struct track *track = xp_firefox_track_of(to, count->task);
	const struct moment moment = { .from_ns = count->from_ns,
				       .to_ns = count->to_ns,
				       .name = xp_firefox_text(to, "interval"),
				       .text = xp_firefox_text(to, "") };

	if (!track)
		return -ENOMEM;
	if (track->nr_moments && track->moments[track->nr_moments - 1].to_ns >= count->to_ns)
		return 0;
	return add_moment(to, track, moment);
}

int xp_firefox_add_count(struct firefox *to, const struct stream_count *count)
{
	if (add_interval(to, count) ||
	    xp_array_grow(&to->counters, &to->nr_counters, count->event, sizeof(*to->counters)))
		return -ENOMEM;
	struct counter *counter = &to->counters[count->event];

	/* A value is what was added since the one before it. */
	int err = counter->nr && counter->to_ns == count->from_ns
			  ? 0
			  : add_value(counter, count->from_ns, 0);
	counter->to_ns = count->to_ns;
	counter->task = count->task;
	return err ? err : add_value(counter, count->to_ns, count->value);
}

static void put_values(struct json *json, const struct firefox *to, const struct counter *counter)
{
	uint64_t last_ns = to->first_ns;

	json_object(json, "samples", &json_compact);
	json_uint(json, "length", counter->nr);
	json_array(json, "timeDeltas", &json_compact);
	for (size_t i = 0; i < counter->nr; last_ns = counter->values[i++].time_ns)
		json_micro(json, NULL, counter->values[i].time_ns - last_ns);
	json_end(json);
	json_array(json, "count", &json_compact);
	for (size_t i = 0; i < counter->nr; i++)
		json_amount(json, NULL, counter->values[i].value);
	json_end(json);
	json_end(json);
}

/* How it is drawn. Source: docs-developer/CHANGELOG-formats.md of the profiler, version 62. */
static void put_display(struct json *json, const char *label)
{
	enum { LAST = 50 };

	json_object(json, "display", &json_compact);
	json_string(json, "graphType", "line-rate");
	json_string(json, "unit", "");
	json_string(json, "color", "blue");
	json_null(json, "markerSchemaLocation");
	json_uint(json, "sortWeight", LAST);
	json_string(json, "label", label);
	json_end(json);
}

static void put_counter(struct json *json, const struct firefox *to, const struct counter *counter,
			const struct tree_event *event)
{
	char description[64];

	snprintf(description, sizeof(description), "%s per interval", event->unit);
	json_object(json, NULL, &json_compact);
	json_string(json, "name", event->name);
	json_string(json, "category", "Counts");
	json_string(json, "description", description);
	put_display(json, event->name);
	json_string(json, "pid", "0");
	json_uint(json, "mainThreadIndex", to->track_of[counter->task] - 1);
	put_values(json, to, counter);
	json_end(json);
}

void xp_firefox_counters(struct json *json, const struct firefox *to, const struct xp_tree *tree)
{
	json_array(json, "counters", &json_compact);
	for (uint32_t i = 0; i < to->nr_counters && i < tree->nr_events; i++)
		if (to->counters[i].nr)
			put_counter(json, to, &to->counters[i], &tree->events[i]);
	json_end(json);
}

void xp_firefox_free_marks(struct firefox *to)
{
	for (uint32_t i = 0; i < to->nr_tracks; i++)
		free(to->tracks[i].moments);
	for (uint32_t i = 0; i < to->nr_counters; i++)
		free(to->counters[i].values);
	free(to->counters);
}
