/* SPDX-License-Identifier: MIT */
/*
 * Who ended a wait: the samples of sched:sched_waking, which are taken where a task is woken, not
 * in the task that wakes up. What woke it from an interrupt was no task.
 *
 * Source: the kernel's include/trace/events/sched.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/tracepoint.h>
#include <xperf/traces.h>

#include "report.h"
#include "search.h"
#include "trace-number.h"
#include "vec.h"

struct waking {
	uint64_t time_ns;
	int32_t tid;    /* who was woken */
	const char *by; /* of the timeline, or static */
};

struct wakers {
	struct waking *wakings; /* in the order of tasks, then of time */
	size_t nr, room;
};

bool plan_is_waking(const struct xp_data_event *event)
{
	return event->attr.type == XP_TYPE_TRACEPOINT && event->name &&
	       !strcmp(event->name, "sched:sched_waking");
}

/* Who was woken; -1: the sample does not show it. */
static int32_t task_of(const struct report *report, const struct xp_attr *attr,
		       const struct xp_sample *sample)
{
	struct xp_traces *traces = report->rec.traces;
	struct xp_tracepoint_field field = { .size = sizeof(field) };
	const char *text;

	if (xp_traces_field(traces, attr->config, "pid", &field) ||
	    xp_traces_field_text(traces, attr->config, &field, sample->raw, sample->raw_len,
				 &text) <= 0)
		return -1;
	return (int32_t)strtol(text, NULL, 10);
}

static const char *name_of(const struct report *report, const struct xp_sample *sample)
{
	const struct recording *rec = &report->rec;

	if (trace_in_interrupt(sample))
		return "[interrupt]";
	return xp_timeline_comm_at(
		rec->timeline, sample->id.pid, sample->id.tid,
		xp_timeline_moment(rec->timeline, sample->id.time_ns, xp_data_position(rec->data)));
}

static int note(struct report *report, const struct xp_record *record)
{
	struct wakers *wakers = report->wakers;
	int event = recording_event_of(&report->rec, record);
	struct xp_sample sample = { .size = sizeof(sample) };

	if (event < 0 || !plan_is_waking(xp_data_event_at(report->rec.data, event)))
		return 0;
	const struct xp_attr *attr = &xp_data_event_at(report->rec.data, event)->attr;
	if (xp_sample_decode(record, attr, &sample))
		return 0;
	int32_t tid = task_of(report, attr, &sample);
	if (tid < 0)
		return 0;
	if (vec_reserve(&wakers->wakings, wakers->nr, &wakers->room, sizeof(*wakers->wakings)))
		return -ENOMEM;
	wakers->wakings[wakers->nr++] =
		(struct waking){ sample.id.time_ns, tid, name_of(report, &sample) };
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct waking *l = a, *r = b;

	if (l->tid != r->tid)
		return l->tid < r->tid ? -1 : 1;
	return (l->time_ns > r->time_ns) - (l->time_ns < r->time_ns);
}

static bool has_wakings(const struct report *report)
{
	for (int i = 0; i < report->rec.nr_events; i++)
		if (plan_is_waking(xp_data_event_at(report->rec.data, i)))
			return true;
	return false;
}

int wakers_load(struct report *report)
{
	struct recording *rec = &report->rec;
	const struct xp_record *record;
	int got = 0;

	report->wakers = calloc(1, sizeof(*report->wakers));
	if (!report->wakers)
		return -ENOMEM;
	if (!has_wakings(report) || recording_traces(rec, NULL))
		return 0;
	int err = recording_rewind(rec);
	while (!err && (got = recording_next(rec, &record)) > 0)
		if (record->type == XP_RECORD_SAMPLE)
			err = note(report, record);
	struct wakers *wakers = report->wakers;
	if (wakers->nr)
		qsort(wakers->wakings, wakers->nr, sizeof(*wakers->wakings), compare);
	return err ? err : got;
}

const char *wakers_find(const struct wakers *wakers, int32_t tid, uint64_t begin_ns,
			uint64_t end_ns)
{
	const struct waking end = { .time_ns = end_ns, .tid = tid };
	size_t nr = search_behind(&end, wakers->wakings, wakers->nr, sizeof(end), compare);
	const struct waking *last = nr ? &wakers->wakings[nr - 1] : NULL;

	return last && last->tid == tid && last->time_ns >= begin_ns ? last->by : NULL;
}

void wakers_free(struct wakers *wakers)
{
	if (wakers)
		free(wakers->wakings);
	free(wakers);
}
