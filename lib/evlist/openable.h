/* SPDX-License-Identifier: MIT */
/* Asks the kernel whether an event can be opened here. */
#ifndef EVLIST_OPENABLE_H
#define EVLIST_OPENABLE_H

#include <xperf/list.h>

struct xp_attr;
struct xp_ctx;

struct xp_verdict {
	enum xp_event_state state;
	char reason[200];
};

/* Opens and closes an event with this attribute on this process. */
void xp_openable_attr(struct xp_ctx *ctx, const struct xp_attr *attr, struct xp_verdict *ret);

/* Likewise the one event of an event string, on @cpu; -1: on this process. Returns false if the
 * string is none here. */
bool xp_openable_event(struct xp_ctx *ctx, const char *text, int cpu, struct xp_verdict *ret);

/* Likewise the event of a PMU: on this process, or on the CPU where the PMU wants it. */
void xp_openable_pmu_event(struct xp_ctx *ctx, const char *pmu, const char *event,
			   struct xp_verdict *ret);

#endif
