/* SPDX-License-Identifier: MIT */
/* `xperf stat record`: what is counted, as a recording. */
#ifndef CLI_STAT_SAVE_H
#define CLI_STAT_SAVE_H

#include "stat-config.h"

struct stat_save;

/* Numbers of perf for how counts are aggregated; they differ between its versions. */
enum stat_perf_numbers { STAT_PERF_6_1, STAT_PERF_6_5, STAT_PERF_6_9, STAT_PERF_NR };

/* The number of a mode; -1: it has none in these versions. */
int stat_perf_number(enum xp_aggr_mode mode, enum stat_perf_numbers numbers);
/* The mode of a number; XP_AGGR_NR_MODES: none. */
enum xp_aggr_mode stat_perf_mode(uint64_t number, enum stat_perf_numbers numbers);

/* Terms of STAT_CONFIG records. */
enum { STAT_TERM_AGGR_MODE, STAT_TERM_INTERVAL, STAT_TERM_SCALE, STAT_TERM_AGGR_LEVEL };

/*
 * Creates the recording of @config->record. @argv stays the caller's. Returns 0 or a negative errno
 * with @diag filled.
 */
int stat_save_open(const struct stat_config *config, struct xp_ctx *ctx, int argc, char **argv,
		   struct stat_save **ret_save, struct xp_diag *diag);
/* Describes the events, which are open. Returns likewise. */
int stat_save_start(struct stat_save *save, struct xp_evlist *evlist, struct xp_diag *diag);
/* Adds what was counted in an interval that ended at @since_start_ns. Returns likewise. */
int stat_save_interval(struct stat_save *save, const struct xp_counts *counts,
		       uint64_t since_start_ns, struct xp_diag *diag);
/* Adds what was counted in the whole run. Returns likewise. */
int stat_save_run(struct stat_save *save, const struct xp_counts *counts, uint64_t wall_ns,
		  struct xp_diag *diag);
/* Completes the file. Returns likewise. */
int stat_save_finish(struct stat_save *save, struct xp_diag *diag);
/* @save may be NULL. */
void stat_save_free(struct stat_save *save);

#endif
