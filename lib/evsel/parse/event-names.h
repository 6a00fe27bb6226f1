/* SPDX-License-Identifier: MIT */
/* Names of the generic hardware events, the software events and the tool events. */
#ifndef EVSEL_EVENT_NAMES_H
#define EVSEL_EVENT_NAMES_H

#include <xperf/evsel.h>

#include "source.h"

struct xp_suggest;

struct xp_event_name {
	const char *name;
	uint32_t type;
	uint64_t config;
	enum xp_tool_event tool;
	const char *desc; /* what it counts; "": a second name of the row before */
};

/* The rows in order: hardware, software, tool, each by name. Returns NULL behind the last. */
const struct xp_event_name *xp_event_name_at(size_t idx);

/* Returns the row, or NULL. */
const struct xp_event_name *xp_event_name_find(struct xp_span name);

void xp_event_names_offer(struct xp_suggest *suggest);

#endif
