/* SPDX-License-Identifier: MIT */
/* --smi-cost: what interrupts of the firmware cost, by counters that stand still in them. */
#ifndef CLI_STAT_SMI_H
#define CLI_STAT_SMI_H

#include "stat-config.h"

/* The metrics, as a list of -M. */
#define SMI_METRICS "smi_cycles,smi_num"

/* What perf 6.1 calls one of them; NULL: @metric is none of them. */
const char *smi_title(const char *metric);

/*
 * The counters stand still from now on. *ret_changed: they did not before, so that smi_thaw() has
 * to follow. Returns 0 or a negative errno with @diag filled.
 */
int smi_freeze(struct xp_ctx *ctx, bool *ret_changed, struct xp_diag *diag);
/*
 * As it was before, if that was changed. @err: what went wrong meanwhile, which @diag has and
 * keeps; that the setting stays is printed then. 0: nothing. Returns @err or, if that is 0,
 * likewise.
 */
int smi_thaw(struct xp_ctx *ctx, bool *changed, int err, struct xp_diag *diag);

#endif
