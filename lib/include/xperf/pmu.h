/* SPDX-License-Identifier: MIT */
/* Performance monitoring units: what they say about themselves. */
#ifndef XPERF_PMU_H
#define XPERF_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xperf/api.h>
#include <xperf/cpus.h>

struct xp_ctx;
struct xp_diag;

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

/**
 * xp_pmu_freeze_on_smi - choose whether the processor's counters stand still in system management
 * mode
 * @on:      they do
 * @ret_was: whether they did before, and nothing is written if that is what is wanted. Written on
 *           success only; NULL: nobody asks, and the setting is not read
 * @diag:    on failure, a sentence for the user; may be NULL
 * The setting is that of all CPUs and all programs, and stays when this one ends: set it back.
 * Returns 0, or
 *   -ENOENT         the processor has no such setting, or a hypervisor hides it
 *   -EACCES, -EPERM only root may write it
 *   -EINVAL         it has another value than 0 and 1
 * Other negative errno: why /sys/devices/cpu/freeze_on_smi cannot be read or written.
 * Source: perf-stat(1), "--smi-cost", perf 6.1.
 */
XP_API int xp_pmu_freeze_on_smi(struct xp_ctx *ctx, bool on, bool *ret_was, struct xp_diag *diag);

/**
 * struct xp_root_port - a PCIe root port whose traffic can be counted
 * @size:     sizeof(struct xp_root_port) of the library
 * @name:     segment and bus: "0000:17"
 * @pmu:      of its I/O stack: "uncore_iio_1"
 * @die:      that it belongs to, as the kernel numbers dies
 * @cpu:      on which events of the PMU count for this die
 * @nr_parts: of the stack, each a bit of the field ch_mask, from bit 0 on: 4 or 8
 */
struct xp_root_port {
	size_t size;
	const char *name;
	const char *pmu;
	int die;
	struct xp_cpu cpu;
	int nr_parts;
	uint8_t padding[4]; /* never used */
};

/**
 * xp_root_port_fn - called once per root port; @port is borrowed for the call
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_root_port_fn)(const struct xp_root_port *port, void *data);

/**
 * xp_root_ports_walk - go through the PCIe root ports, by stack, then by die
 * @diag: on failure, a sentence for the user; may be NULL
 * Returns 0 (also if there are none), what @fn returned, or
 *   -EBADMSG  a file has no root port in it
 *   -ENODEV   a die is not online, or it is not known which one is meant
 *   -ENOMEM
 * Other negative errno: why a file cannot be read.
 * Source: Documentation/ABI/testing/sysfs-devices-mapping.
 */
XP_API int xp_root_ports_walk(struct xp_ctx *ctx, xp_root_port_fn fn, void *data,
			      struct xp_diag *diag);

XP_END_DECLS

#endif
