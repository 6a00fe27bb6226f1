/* SPDX-License-Identifier: MIT */
/* Performance monitoring units: what they say about themselves. */
#ifndef XPERF_PMU_H
#define XPERF_PMU_H

#include <stdbool.h>
#include <xperf/api.h>
#include <xperf/diag.h>

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

/**
 * xp_pmus_choose_core - count on CPUs of one kind only, where they are of several kinds
 * @kind: the PMU of the kind, or the end of its name: "cpu_core", "core"; NULL: all kinds
 * @diag: on failure, which kinds there are; may be NULL
 *
 * From now on, names in event strings that name no PMU, such as "cycles", and patterns stand for
 * the events of this PMU. "cpu_atom/cycles/" is still an event of cpu_atom.
 *
 * Returns 0, -ENOENT (there is no such kind, or the CPUs are all alike), -ENOMEM.
 *
 * Source: perf-stat(1), "--cputype", perf 6.1.
 */
XP_API int xp_pmus_choose_core(struct xp_ctx *ctx, const char *kind, struct xp_diag *diag);

/**
 * xp_pmus_merge_core - show events of CPUs of several kinds as one
 * @merge: from now on, the events that one name stands for, one per kind, are shown as one, see
 *         xp_evsel_merged_into(); false: each by itself
 *
 * Returns 0 or -ENOMEM.
 *
 * Source: perf-stat(1), "--hybrid-merge", perf 6.1.
 */
XP_API int xp_pmus_merge_core(struct xp_ctx *ctx, bool merge);

XP_END_DECLS

#endif
