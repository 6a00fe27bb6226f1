/* SPDX-License-Identifier: MIT */
/* Options of perf for events that few machines have. */
#ifndef CLI_STAT_ABSENT_H
#define CLI_STAT_ABSENT_H

#include "stat-config.h"

/* Refuses --smi-cost and --iostat: with what this machine lacks for them, or, if it has all, with
 * the reason why they are not there. Returns 0 if neither was given, or a negative errno with @diag
 * filled. */
int stat_refuse_absent(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag);

#endif
