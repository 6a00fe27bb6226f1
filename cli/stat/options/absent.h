/* SPDX-License-Identifier: MIT */
/* Options of perf for events that few machines have. */
#ifndef CLI_STAT_ABSENT_H
#define CLI_STAT_ABSENT_H

#include "stat-config.h"

/* Refuses --smi-cost and --iostat with what this machine lacks for them. Returns 0 if it has all,
 * or neither was given, else a negative errno with @diag filled. */
int stat_refuse_absent(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag);

#endif
