/* SPDX-License-Identifier: MIT */
/*
 * Fields of tracepoints as keys: "next_pid", "sched:sched_switch.next_pid", "next_pid/raw",
 * "trace_fields". Each is a column of those events that have it.
 *
 * Source of the order and the widths: perf 6.1, measured: rows are distinguished and put in order
 * by the bytes that were recorded; numbers have room for themselves in hexadecimal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/tracepoint.h>
#include <xperf/traces.h>

#include "report.h"

enum { BYTES_KEPT = 64, VALUE_BYTES = 2 * BYTES_KEPT + 512 };

/* In each event, the field; without a name: it has none, or an earlier column shows it. */
struct trace_field {
	bool is_raw;
	struct xp_tracepoint_field *of_event;
};

struct trace_fields {
	struct trace_field fields[MAX_FIELDS];
	int nr, nr_events;
	char value[VALUE_BYTES];
};

/* A text in the record, not a pointer to one. */
static bool is_text(const struct xp_tracepoint_field *field)
{
	return field->is_string && (field->is_array || field->is_dynamic);
}

static const struct trace_field *field_of(const struct plan *plan, int column)
{
	return &plan->fields->fields[column - EXTRA_FIELD];
}

/* "[EVENT.]NAME[/raw]" */
struct wanted {
	char event[128], name[64];
	bool is_raw;
};

static bool read_wanted(const char *text, size_t len, struct wanted *wanted)
{
	static const char raw[] = "/raw";
	const char *dot = memchr(text, '.', len);

	*wanted = (struct wanted){ 0 };
	if (len > strlen(raw) && !memcmp(text + len - strlen(raw), raw, strlen(raw))) {
		wanted->is_raw = true;
		len -= strlen(raw);
	}
	size_t event_len = dot ? (size_t)(dot - text) : 0;
	size_t name_len = dot ? len - event_len - 1 : len;
	if (event_len >= sizeof(wanted->event) || name_len >= sizeof(wanted->name))
		return false;
	memcpy(wanted->event, text, event_len);
	memcpy(wanted->name, text + len - name_len, name_len);
	return name_len > 0;
}

/* Events are meant by name, with or without what it is in, or by number: "%1" is the first. */
static bool is_event(const struct report *report, int event, const char *wanted)
{
	const struct xp_data_event *at = xp_data_event_at(report->rec.data, event);
	const char *name = at->name ? at->name : "", *colon = strchr(name, ':');

	if (at->attr.type != XP_TYPE_TRACEPOINT)
		return false;
	if (*wanted == '%')
		return atoi(wanted + 1) == event + 1;
	return !*wanted || !strcmp(name, wanted) || (colon && !strcmp(colon + 1, wanted));
}

/* A new column, which no event has yet. Returns NULL without memory, or room. */
static struct trace_field *new_field(struct plan *plan, const struct report *report)
{
	struct trace_fields *fields = plan->fields;

	if (fields->nr == MAX_FIELDS)
		return NULL;
	struct trace_field *field = &fields->fields[fields->nr];
	field->of_event = calloc((size_t)report->rec.nr_events + 1, sizeof(*field->of_event));
	fields->nr += field->of_event != NULL;
	return field->of_event ? field : NULL;
}

/* The column that shows a field of an event in the same form already; -ENOENT. */
static int column_of(const struct plan *plan, int event, const char *name, bool is_raw)
{
	for (int i = 0; i < plan->fields->nr; i++) {
		const struct trace_field *field = &plan->fields->fields[i];
		const char *known = field->of_event[event].name;

		if (known && !strcmp(known, name) && field->is_raw == is_raw)
			return EXTRA_FIELD + i;
	}
	return -ENOENT;
}

/* Finds a field in all events that are meant. Returns its column, or a negative errno. */
static int add_field(struct plan *plan, const struct report *report, const struct wanted *wanted)
{
	bool is_raw = wanted->is_raw || plan->values->count.raw_trace;
	struct trace_field *field = NULL;
	int column = -ENOENT;

	for (int i = 0; i < report->rec.nr_events; i++) {
		uint64_t id = xp_data_event_at(report->rec.data, i)->attr.config;
		struct xp_tracepoint_field found;

		if (!is_event(report, i, wanted->event) ||
		    xp_traces_field(report->rec.traces, id, wanted->name, &found))
			continue;
		int known = column_of(plan, i, wanted->name, is_raw);
		if (known >= 0) {
			column = known;
			continue;
		}
		if (!field && !(field = new_field(plan, report)))
			return -ENOMEM;
		field->is_raw = is_raw;
		field->of_event[i] = found;
	}
	return field ? EXTRA_FIELD + plan->fields->nr - 1 : column;
}

/* The n-th column is the n-th field of each event. Returns how many there are, or -ENOMEM. */
static int add_all(struct plan *plan, const struct report *report, const struct wanted *wanted,
		   int columns[MAX_FIELDS])
{
	int first = plan->fields->nr, nr = 0;

	for (int i = 0; i < report->rec.nr_events; i++) {
		uint64_t id = xp_data_event_at(report->rec.data, i)->attr.config;
		bool is_meant = is_event(report, i, wanted->event);
		char *names = strdup(is_meant ? xp_traces_fields(report->rec.traces, id) : ""),
		     *rest;
		int at = first;

		if (!names)
			return -ENOMEM;
		for (char *name = strtok_r(names, ",", &rest); name && at < MAX_FIELDS;
		     name = strtok_r(NULL, ",", &rest), at++) {
			if (at == plan->fields->nr && !new_field(plan, report))
				break;
			plan->fields->fields[at].is_raw =
				wanted->is_raw || plan->values->count.raw_trace;
			xp_traces_field(report->rec.traces, id, name,
					&plan->fields->fields[at].of_event[i]);
		}
		free(names);
	}
	for (; first + nr < plan->fields->nr; nr++)
		columns[nr] = EXTRA_FIELD + first + nr;
	return nr;
}

int trace_fields_find(struct plan *plan, struct report *report, const char *text, size_t len,
		      int columns[MAX_FIELDS])
{
	struct wanted wanted;

	if (!read_wanted(text, len, &wanted) || recording_traces(&report->rec, NULL))
		return 0;
	if (!plan->fields)
		plan->fields = calloc(1, sizeof(*plan->fields));
	if (!plan->fields)
		return -ENOMEM;
	if (!strcmp(wanted.name, "trace_fields") || !strcmp(wanted.name, "*"))
		return add_all(plan, report, &wanted, columns);
	columns[0] = add_field(plan, report, &wanted);
	if (columns[0] < 0)
		return columns[0] == -ENOMEM ? -ENOMEM : 0;
	return 1;
}

const char *trace_field_name(const struct plan *plan, int column, int event)
{
	const char *name = field_of(plan, column)->of_event[event].name;

	return name ? name : "";
}

int trace_field_width(const struct plan *plan, int column, int event)
{
	const struct xp_tracepoint_field *field = &field_of(plan, column)->of_event[event];
	int width = (int)(is_text(field) ? field->size : field->size * 2 + 2);
	int name = field->name ? (int)strlen(field->name) : 0;

	return !field->name ? 0 : width > name ? width : name;
}

/* --- values --- */

/* What stands behind "NAME=" in the text. Returns false if that is not in there. */
static bool from_text(const char *text, const char *name, char *value, size_t room)
{
	size_t len = strlen(name);

	for (const char *at = text; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, name, len) != 0 || at[len] != '=')
			continue;
		at += len + 1;
		snprintf(value, room, "%.*s", (int)strcspn(at, " "), at);
		return true;
	}
	return false;
}

static void put_text(struct report *report, const struct trace_field *field, int event,
		     const struct xp_sample *sample, char *value, size_t room)
{
	uint64_t id = xp_data_event_at(report->rec.data, event)->attr.config;
	const char *text = "";

	if (!field->is_raw &&
	    xp_traces_text(report->rec.traces, id, sample->id.cpu, sample->raw, sample->raw_len,
			   &text) > 0 &&
	    from_text(text, field->of_event[event].name, value, room))
		return;
	text = "";
	xp_traces_field_text(report->rec.traces, id, &field->of_event[event], sample->raw,
			     sample->raw_len, &text);
	snprintf(value, room, "%s", text);
}

/* The bytes that were recorded, in hexadecimal: texts up to their end. */
static char *put_bytes(char *at, const struct xp_tracepoint_field *field,
		       const struct xp_sample *sample)
{
	const unsigned char *raw = sample->raw;
	size_t len = field->size < BYTES_KEPT ? field->size : BYTES_KEPT;

	if (field->offset > sample->raw_len || len > sample->raw_len - field->offset)
		return at;
	if (is_text(field) && !field->is_dynamic)
		len = strnlen((const char *)raw + field->offset, len);
	for (size_t i = 0; i < len && !field->is_dynamic; i++)
		at += sprintf(at, "%02x", raw[field->offset + i]);
	return at;
}

const char *trace_field_value(struct report *report, const struct plan *plan, int column, int event,
			      const struct xp_sample *sample)
{
	const struct trace_field *field = field_of(plan, column);
	char *value = plan->fields->value, *at = value;

	if (field->of_event[event].name)
		at = put_bytes(at, &field->of_event[event], sample);
	*at++ = ' ';
	*at = '\0';
	if (field->of_event[event].name)
		put_text(report, field, event, sample, at, (size_t)(value + VALUE_BYTES - at));
	return value;
}

void trace_fields_free(struct trace_fields *fields)
{
	for (int i = 0; fields && i < fields->nr; i++)
		free(fields->fields[i].of_event);
	free(fields);
}
