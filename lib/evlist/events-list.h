/* SPDX-License-Identifier: MIT */
/* What the files that go through the events share. */
#ifndef EVLIST_EVENTS_LIST_H
#define EVLIST_EVENTS_LIST_H

#include "openable.h"

struct xp_list_walk {
	struct xp_ctx *ctx;
	struct xp_list_opts opts;
	xp_event_fn fn;
	void *data;
	struct xp_diag *diag;
	struct xp_verdict verdict; /* of the event in hand, or of all of its kind */
};

/* Hands an event to the caller, with the verdict in hand; absent texts are "". Returns what the
 * callback returned. */
int xp_list_report(struct xp_list_walk *w, struct xp_event_info *info);

/* The markers of opts.sdt_path (events-list-sdt.c). */
int xp_list_sdt(struct xp_list_walk *w);

#endif
