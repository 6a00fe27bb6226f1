/* SPDX-License-Identifier: MIT */
/* Performance monitoring units: what they say about themselves. */
#ifndef XPERF_PMU_H
#define XPERF_PMU_H

#include <xperf/api.h>

struct xp_ctx;

XP_BEGIN_DECLS

/**
 * xp_pmu_cap_fn - called once per capability
 * @name:  "max_precise", "branches", "pmu_name", ...
 * @value: one line, without its end; both are borrowed for the call
 *
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_pmu_cap_fn)(const char *name, const char *value, void *data);

/**
 * xp_pmu_caps_walk - go through what a PMU is capable of
 * @pmu: its name in sysfs: "cpu", "cpu_atom", "intel_pt"
 *
 * In the order of their names. Most PMUs have none.
 *
 * Returns 0, what @fn returned, -ENOENT (there is no such PMU), -ENOMEM, or why they cannot be
 * listed.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-caps.
 */
XP_API int xp_pmu_caps_walk(struct xp_ctx *ctx, const char *pmu, xp_pmu_cap_fn fn, void *data);

XP_END_DECLS

#endif
