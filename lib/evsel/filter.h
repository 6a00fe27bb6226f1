/* SPDX-License-Identifier: MIT */
/* Filters of tracepoints and probes: checked, kept with the event, given to the kernel. */
#ifndef EVSEL_FILTER_H
#define EVSEL_FILTER_H

#include "event.h"

/*
 * Checks a filter before the kernel is asked.
 * @tracepoint: "SUBSYSTEM:EVENT", or the kind of a probe, "uprobe" or "kprobe"; NULL: not known,
 *              fields are not checked
 * Where its format cannot be had, fields that only some tracepoints have are not checked either.
 * Returns 0, -EINVAL with @diag filled, -ENOMEM.
 */
int xp_filter_check(struct xp_ctx *ctx, const char *tracepoint, const char *text,
		    struct xp_diag *diag);

/*
 * Gives the event's filter, if it has one, to one of its descriptors, which must be new: the
 * kernel takes a filter once. Returns 0 or -errno.
 */
int xp_filter_set(const struct xp_evsel *evsel, int fd);

/* The same with all descriptors of the event, and a sentence on failure. Returns 0 or -errno. */
int xp_filter_set_all(struct xp_evsel *evsel, struct xp_diag *diag);

/* Gives the filter to an event that is sampled and leaves out this process: with the threads there
 * are now. Returns likewise; 0 for any other event. */
int xp_filter_exclude_self(struct xp_evsel *evsel, struct xp_diag *diag);

#endif
