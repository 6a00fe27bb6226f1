/* SPDX-License-Identifier: MIT */
/* The PMUs of this machine and the events they name, for those who show them. */
#ifndef EVSEL_PMU_LIST_H
#define EVSEL_PMU_LIST_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_names;

/* Adds the names of all PMUs, sorted. Returns 0 or why not. */
int xp_pmus_list(struct xp_ctx *ctx, struct xp_names *names);

/* Adds the names of a PMU's events, sorted; files that only describe one are none. Returns 0 or
 * why not. */
int xp_pmu_events_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names);

/*
 * The first CPU a PMU that counts for more than one wants to be opened on.
 * Returns 0, or -ENOENT for one that counts tasks.
 */
int xp_pmu_first_cpu(struct xp_ctx *ctx, const char *pmu, int *ret_cpu);

#endif
