/* SPDX-License-Identifier: MIT */
/* How many cores, dies and packages the CPUs that are online are in, and which share a core. */
#ifndef SYS_TOPOLOGY_H
#define SYS_TOPOLOGY_H

#include "ctx.h"

struct xp_cpus;

enum xp_shared { XP_SHARED_CORE, XP_SHARED_DIE, XP_SHARED_PACKAGE };

/*
 * Counts the cores, dies or packages that have a CPU which is online.
 * Returns 0, or why the kernel's lists cannot be read: -ENOENT where it has none, -EBADMSG,
 * -ENOMEM.
 */
int xp_topology_count(struct xp_ctx *ctx, enum xp_shared what, uint64_t *ret_nr);

/* Sets 1 if a core has two or more CPUs that are online, else 0. Returns as xp_topology_count(). */
int xp_topology_smt(struct xp_ctx *ctx, uint64_t *ret_on);

/* Sets 1 if no core has CPUs both in @cpus and outside, else 0. Returns as xp_topology_count(). */
int xp_topology_whole_cores(struct xp_ctx *ctx, const struct xp_cpus *cpus, uint64_t *ret_whole);

#endif
