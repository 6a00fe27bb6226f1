/* SPDX-License-Identifier: MIT */
/* What is wrong with a filter, before the kernel is asked. */
#ifndef EVSEL_FILTER_CHECK_H
#define EVSEL_FILTER_CHECK_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;

/*
 * Checks a filter before the kernel is asked.
 * @tracepoint: "SUBSYSTEM:EVENT", or the kind of a probe, "uprobe" or "kprobe"; NULL: not known,
 *              fields are not checked
 * Where its format cannot be had, fields that only some tracepoints have are not checked either.
 * Returns 0, -EINVAL with @diag filled, -ENOMEM.
 */
int xp_filter_check(struct xp_ctx *ctx, const char *tracepoint, const char *text,
		    struct xp_diag *diag);

#endif
