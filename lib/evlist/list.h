/* SPDX-License-Identifier: MIT */
/* The list of events from inside the library. */
#ifndef EVLIST_LIST_H
#define EVLIST_LIST_H

#include <xperf/evlist.h>

#include "event.h"

/*
 * Events opened under one leader and read together: a group the user asked for, software events
 * joined by us, or a single event.
 */
struct xp_read_group {
	int nr;
	struct xp_evsel **members; /* [0] leads; only events that are supported */
};

struct xp_evlist {
	struct xp_ctx *ctx;
	struct xp_evsel **at;
	int nr;
	int cap;

	/* while open */
	bool is_open;
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	struct xp_read_group *groups;
	int nr_groups;
};

#endif
