/* SPDX-License-Identifier: MIT */
/*
 * Metrics of groups that are read with each sample (:S): of what their events did from one sample
 * of a thread to its next. Other groups have none: their samples do not come at the same time.
 * Source of the layout: perf script, 6.1, measured; the numbers are those of `stat`.
 */
#include "metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/stat.h>

#include "script.h"

/* Of one event; groups are events that follow each other. */
struct member {
	struct xp_metrics *metrics; /* of a leader: of its group */
	int nr;                     /* likewise: of its members */
	int leader;
};

struct metrics {
	int nr_events;
	struct member *members;
	struct xp_total *totals; /* by event */
	int event;               /* noted last; -1: none */
	struct xp_sample_id id;
	uint16_t misc;
};

static int add_event(struct xp_evlist *evlist, struct xp_ctx *ctx,
		     const struct xp_data_event *event)
{
	struct xp_attr attr = event->attr;
	struct xp_evsel *evsel;

	attr.size = 0;
	int err = xp_evsel_new(ctx, &attr, event->name, &evsel);

	if (err)
		return err;
	err = xp_evlist_add(evlist, evsel);
	if (err)
		xp_evsel_free(evsel);
	return err;
}

static int bind(struct metrics *metrics, const struct recording *rec, int leader)
{
	struct member *member = &metrics->members[leader];
	struct xp_evlist *evlist;
	int err = xp_evlist_new(rec->ctx, &evlist);

	if (err)
		return err;
	for (int i = leader; i < metrics->nr_events && !err; i++) {
		const struct xp_data_event *event = xp_data_event_at(rec->data, i);

		if (event->leader != leader)
			break;
		metrics->members[i].leader = leader;
		metrics->totals[i].running_ns = 1;
		member->nr++;
		err = add_event(evlist, rec->ctx, event);
	}
	if (!err && member->nr > 1)
		err = xp_metrics_new(evlist, &member->metrics);
	xp_evlist_free(evlist);
	return err;
}

int metrics_new(const struct script *script, struct metrics **ret_metrics)
{
	const struct recording *rec = script->rec;
	struct metrics *metrics = calloc(1, sizeof(*metrics));
	int nr = xp_data_nr_events(rec->data), err = 0;

	if (!metrics)
		return -ENOMEM;
	metrics->nr_events = nr;
	metrics->event = -1;
	metrics->members = calloc((size_t)nr + 1, sizeof(*metrics->members));
	metrics->totals = calloc((size_t)nr + 1, sizeof(*metrics->totals));
	if (!metrics->members || !metrics->totals)
		err = -ENOMEM;
	for (int i = 0; i < nr && !err; i++)
		metrics->members[i].leader = i;
	for (int i = 0; i < nr && !err; i++) {
		const struct xp_data_event *event = xp_data_event_at(rec->data, i);

		if (event->leader == i && event->attr.sample_type & XP_SAMPLE_READ)
			err = bind(metrics, rec, i);
	}
	if (err)
		metrics_free(metrics);
	else
		*ret_metrics = metrics;
	return err;
}

void metrics_free(struct metrics *metrics)
{
	if (!metrics)
		return;
	for (int i = 0; metrics->members && i < metrics->nr_events; i++)
		xp_metrics_free(metrics->members[i].metrics);
	free(metrics->members);
	free(metrics->totals);
	free(metrics);
}

void metrics_note(struct metrics *metrics, int event, const struct xp_sample *sample)
{
	if (!metrics->members[metrics->members[event].leader].metrics)
		return;
	metrics->totals[event].scaled = (double)sample->period;
	metrics->event = event;
	metrics->id = sample->id;
	metrics->misc = sample->record->misc;
}

static void show_metric(struct script *script, const struct view *view,
			const struct xp_metric *metric)
{
	const struct metrics *metrics = script->metrics;
	char number[64];

	show_start(script, view->fields, &metrics->id, NULL, metrics->misc, XP_RECORD_SAMPLE,
		   !(view->fields & F_IP && view->has_chain));
	snprintf(number, sizeof(number), "\tmetric: %*.*f%s ", metric->width, metric->precision,
		 metric->value, metric->suffix);
	sink_text(&script->out, number);
	sink_text(&script->out, metric->unit);
	sink_char(&script->out, '\n');
}

int metrics_show(struct script *script)
{
	struct metrics *metrics = script->metrics;
	struct xp_metric found[XP_METRICS_PER_EVENT_MAX];
	int leader = metrics->event < 0 ? 0 : metrics->members[metrics->event].leader;
	const struct member *group = &metrics->members[leader];
	const struct view *view = &script->views[leader];

	for (int i = 0; metrics->event >= 0 && i < group->nr; i++) {
		int nr = xp_metrics_of(group->metrics, &metrics->totals[leader], i, 0, found);

		for (int k = 0; k < nr; k++)
			show_metric(script, view, &found[k]);
	}
	for (int i = leader; metrics->event >= 0 && i < leader + group->nr; i++)
		metrics->totals[i].scaled = 0;
	metrics->event = -1;
	return script->out.err;
}
