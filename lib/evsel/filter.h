/* SPDX-License-Identifier: MIT */
/* Filters of tracepoints and probes, and programs of other events: kept with the event, given to
 * the kernel. */
#ifndef EVSEL_FILTER_H
#define EVSEL_FILTER_H

#include "event.h"
#include "sample-terms.h"

/* Which samples of an event are kept (parse/sample-conditions.c). */
struct xp_sample_filter {
	int nr;
	struct sample_term terms[SAMPLE_TERMS_MAX];
};

/* Returns 0 if the event can have a filter now, or -EBUSY, -EOPNOTSUPP with @diag filled. */
int xp_filter_is_possible(const struct xp_evsel *evsel, struct xp_diag *diag);

/* Keeps a filter that was checked, joined with those the event has. Returns 0 or -ENOMEM. */
int xp_filter_keep(struct xp_evsel *evsel, const char *filter);

/*
 * Gives the event's filter or program, if it has one, to one of its descriptors, which must be new:
 * the kernel accepts it once. Returns 0 or -errno.
 */
int xp_filter_set(const struct xp_evsel *evsel, int fd);

/* The same with all descriptors of the event, and a sentence on failure. Returns 0 or -errno. */
int xp_filter_set_all(struct xp_evsel *evsel, struct xp_diag *diag);

/* Gives the filter to an event that is sampled and leaves out this process: with the threads there
 * are now. Returns likewise; 0 for any other event. */
int xp_filter_exclude_self(struct xp_evsel *evsel, struct xp_diag *diag);

#endif
