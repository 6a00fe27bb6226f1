/* SPDX-License-Identifier: MIT */
/*
 * What a run makes ready once all events of the recording are known, and before the first line is
 * printed.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/arch.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/record.h>

#include "escape.h"
#include "script.h"
#include "stacks.h"

/* Names as they are printed, all as wide as the widest. */
static int name_view(struct view *view, size_t width)
{
	size_t room = strlen(view->plain_name) * ESCAPE_MAX + width + sizeof(": "), len = 0;

	view->name = malloc(room);
	if (!view->name)
		return -ENOMEM;
	for (const char *at = view->plain_name; *at;)
		len += escape_next(&at, view->name + len);
	size_t pad = len < width ? width - len : 0;
	memmove(view->name + pad, view->name, len);
	memset(view->name, ' ', pad);
	memcpy(view->name + pad + len, ": ", sizeof(": "));
	view->name_len = pad + len + 2;
	return 0;
}

/* In JSON they are none of a sample's names; in files of events, of no event alone. */
static int make_metrics(struct script *script)
{
	const struct values *values = script->config->values;
	bool is_asked = false;

	for (int i = 0; i < script->nr_views; i++)
		is_asked |= script->views[i].fields & F_METRIC;
	return is_asked && !values->json && !values->per_event_dump
		       ? metrics_new(script, &script->metrics)
		       : 0;
}

static int make_views(struct script *script)
{
	int nr = xp_data_nr_events(script->rec->data);
	bool chains = !script->config->values->hide_chains;
	size_t width = 0;
	int err = 0;

	script->views = calloc((size_t)nr + 1, sizeof(*script->views));
	if (!script->views)
		return -ENOMEM;
	script->nr_views = nr;
	for (int i = 0; i < nr; i++) {
		size_t len = strlen(xp_data_event_at(script->rec->data, i)->name);

		width = len > width ? len : width;
	}
	for (int i = 0; i < nr && !err; i++) {
		const struct xp_data_event *event = xp_data_event_at(script->rec->data, i);
		struct view *view = &script->views[i];

		view->event = event;
		view->plain_name = event->name;
		view->fields = script->fields.kind[kind_of(&event->attr)].fields;
		view->has_chain = chains && event->attr.sample_type & XP_SAMPLE_CALLCHAIN;
		if (view->has_chain && !script->config->values->no_inlines)
			view->fields |= F_INLINED;
		if (view->fields & (F_INLINED | F_SRCLINE))
			view->fields |= F_RETURN;
		err = name_view(view, width);
	}
	return err;
}

/* A feature that is one string: padded length, text. */
static void find_machine(struct script *script)
{
	const char *name = recording_machine(script->rec);

	if (name)
		script->machine = xp_arch_regs_find(name, 0);
}

/* The clock's time and the time of day at one moment: version, clock, then two u64. */
static int make_clock(struct script *script, struct xp_diag *diag)
{
	size_t len;
	const char *body = xp_data_feature(script->rec->data, XP_FEATURE_CLOCK_DATA, &len);
	uint64_t fields = 0, at[2];

	for (int i = 0; i < script->nr_views; i++)
		fields |= script->views[i].fields;
	if (!(fields & F_TOD))
		return 0;
	if (!body || len < 2 * sizeof(uint32_t) + sizeof(at)) {
		xp_diag_set(diag, -EINVAL, "The recording does not have the time of day ('tod')");
		xp_diag_hint(diag, "record with -k CLOCK_MONOTONIC");
		return -EINVAL;
	}
	memcpy(at, body + 2 * sizeof(uint32_t), sizeof(at));
	for (int i = 0; i < 2 && xp_data_is_swapped(script->rec->data); i++)
		at[i] = __builtin_bswap64(at[i]);
	script->clock.wall_ns = (int64_t)(at[0] - at[1]);
	return 0;
}

/* What `stat record` has written has no samples, whose fields could be asked for: its counts are
 * shown as they are. Source: perf 6.1. */
static bool has_counts(const struct script *script)
{
	size_t len;

	return script->has_counts || xp_data_feature(script->rec->data, XP_FEATURE_STAT, &len);
}

/* Only then stacks are worth the work. */
static bool shows_chains(const struct script *script)
{
	bool shows = false;

	for (int i = 0; i < script->nr_views; i++)
		shows |= script->views[i].has_chain &&
			 (script->config->values->json || script->views[i].fields & F_IP);
	return shows && !script->config->values->only_check;
}

int prepare(struct script *script, struct xp_diag *diag)
{
	/* Without them, what tracepoints say is left out; the rest is printed. */
	int err = recording_traces(script->rec, diag);

	if (err == -ENOMEM)
		return err;
	if (!has_counts(script) && fields_fit(&script->fields, script->rec->data,
					      !script->config->values->hide_chains, diag))
		return -EINVAL;
	find_machine(script);
	err = make_views(script) ?: make_metrics(script);
	if (!err && shows_chains(script))
		err = stacks_open(script->rec, script->config->values->max_stack);
	return err ? err : make_clock(script, diag) ?: counters_make(script, diag);
}
