/* SPDX-License-Identifier: MIT */
/*
 * Performance monitoring units as /sys/bus/event_source/devices lists them, each read when it is
 * first asked for and kept in the context. What is in their format/ and events/ is lib/evsel's.
 */
#ifndef SYS_PMUS_H
#define SYS_PMUS_H

#include "ctx.h"

struct xp_names;
struct xp_pmus;

#define XP_PMU_DEVICES "/sys/bus/event_source/devices"

/*
 * @type:      of the attribute
 * @cpus:      the CPUs its events are opened on, those of cpumask or cpus; NULL: any
 * @is_core:   it is the PMU of @cpus, as a hybrid machine's are ("cpu_core", "armv8_cortex_a53")
 * @is_uncore: its events count for more than a CPU, and not for tasks
 */
struct xp_pmu {
	char *name;
	uint32_t type;
	struct xp_cpus *cpus;
	bool is_core;
	bool is_uncore;
};

/* Names of all PMUs, those with numbers in their order; owned by the context, perhaps none. */
const struct xp_names *xp_pmus_names(struct xp_ctx *ctx);

/* The PMU of a name, NULL if there is none (or no memory); lives as long as the context. */
const struct xp_pmu *xp_pmus_find(struct xp_ctx *ctx, const char *name, size_t len);

/*
 * The PMUs of the CPUs of a hybrid machine, two or more, in the order of their first CPUs.
 * Returns how many, 0 on a machine whose CPUs are all alike; *ret_pmus lives as long as the
 * context.
 */
int xp_pmus_core(struct xp_ctx *ctx, const struct xp_pmu *const **ret_pmus);

/* Whether strings that name no PMU stand for its events: it is of no kind of CPU, or of one that
 * xp_pmus_choose_core() left. */
bool xp_pmus_wants(struct xp_ctx *ctx, const struct xp_pmu *pmu);
/* It is the one that was chosen. */
bool xp_pmus_is_chosen(struct xp_ctx *ctx, const struct xp_pmu *pmu);
/* As xp_pmus_merge_core() says. */
bool xp_pmus_merges_core(struct xp_ctx *ctx);

void xp_pmus_free(struct xp_pmus *pmus);

#endif
