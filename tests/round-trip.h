/* SPDX-License-Identifier: MIT */
/* The name of every event is an event string of its own: parsed again it gives the same event. */
#ifndef TESTS_ROUND_TRIP_H
#define TESTS_ROUND_TRIP_H

#include <string.h>

#include <linux/perf_event.h>

#include <xperf/xperf.h>

#include "event.h"
#include "pmus.h"

/*
 * True for strings whose events are not shown by what selects them: name= is the user's word for
 * it, the letters behind a group stand at none of its members, and ratio-to-prev is of use in a
 * group only.
 */
static inline bool name_is_not_the_event(const char *text)
{
	const char *close = strchr(text, '}');

	return strstr(text, "name") || strstr(text, "ratio-to-prev") ||
	       (close && strchr(close, ':'));
}

static inline bool same_event(const struct xp_evsel *a, const struct xp_evsel *b)
{
	struct xp_attr left = a->attr, right = b->attr;

	/* As perf does, tracepoints are shown without modifiers and terms. */
	if (left.type == PERF_TYPE_TRACEPOINT)
		return right.type == left.type && right.config == left.config;
	/* A generic event of a hybrid machine's PMU is the PMU's own event, if it has one so
	 * called. */
	if (a->pmu && a->pmu == b->pmu && a->pmu->is_core && left.type < PERF_TYPE_RAW &&
	    right.type == a->pmu->type)
		return true;
	/* A path, or a function of the kernel. */
	if (a->probe_target && b->probe_target && !strcmp(a->probe_target, b->probe_target))
		left.config1 = right.config1 = 0;
	return !memcmp(&left, &right, sizeof(left)) && a->tool == b->tool &&
	       a->precise_max == b->precise_max && a->pmu == b->pmu;
}

/* NULL: @evsel comes back by its name. Else why not. */
static inline const char *lost_in_round_trip(struct xp_ctx *ctx, const struct xp_evsel *evsel)
{
	const char *why = "its name is another event";
	struct xp_evlist *again;

	if (xp_evlist_new(ctx, &again))
		return "out of memory";
	if (xp_evlist_parse(again, xp_evsel_own_name(evsel), NULL))
		why = "its name is not an event";
	for (int i = 0; i < xp_evlist_nr(again); i++)
		if (same_event(evsel, xp_evlist_at(again, i)))
			why = NULL;
	xp_evlist_free(again);
	return why;
}

#endif
