/* SPDX-License-Identifier: MIT */
/* The events that `xperf stat` counts. */
#ifndef CLI_STAT_PLAN_H
#define CLI_STAT_PLAN_H

#include "run.h"

/* Where CPUs are of several kinds: which of them names of events stand for. Returns 0 or a negative
 * errno with @diag filled. */
int stat_choose_kinds(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag);

/*
 * Makes job->evlist of what job->config asks for. *ret_input_label is what a position in the diag
 * is a position in, on failure, too. Returns 0 or a negative errno with @diag filled.
 */
int stat_plan_events(struct stat_job *job, const char **ret_input_label, struct xp_diag *diag);

/*
 * As perf: scripts ask in this way whether a group can be counted. A single event is a row. Returns
 * 0, or -ENOENT with @diag filled if no event of a group can be counted.
 */
int stat_refuse_dead_groups(const struct xp_evlist *evlist, struct xp_diag *diag);

/* Some event has the counts of cores. */
bool stat_has_percore(const struct xp_evlist *evlist);

/* Fills @diag for rows of caches where there are none; @level: 0, of any level. Returns -ENODATA.
 */
int stat_refuse_no_caches(int level, struct xp_diag *diag);

#endif
