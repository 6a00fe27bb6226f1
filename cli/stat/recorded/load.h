/* SPDX-License-Identifier: MIT */
/* Counts of a recording, in the structures that stat has them in. */
#ifndef CLI_STAT_LOAD_H
#define CLI_STAT_LOAD_H

#include "maps.h"
#include "recording.h"
#include "stat-config.h"

/* Zeroed before the first record; @rec and @config are set by the caller. */
struct stat_load {
	struct recording *rec;
	struct stat_config *config; /* aggr_mode is XP_AGGR_NR_MODES: as it was recorded */
	struct maps maps;
	bool has_level;       /* STAT_CONFIG has the level of caches, as from perf 6.5 on */
	uint64_t mode, level; /* as it has them */
	bool lacks_clusters;  /* their rows were recorded, and are of dies */
	uint64_t nr_ignored;  /* counts of events, CPUs or threads that are not described */

	/* from stat_load_prepare() on */
	struct xp_evlist *evlist;
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	struct xp_aggr *aggr;
	struct xp_counts *now, *before, *delta;
};

/* Terms of a STAT_CONFIG record. */
void stat_load_config(struct stat_load *load, const struct xp_record *record);
/* Events, sets and rows, from what has been read. Returns 0 or a negative errno with @diag filled.
 */
int stat_load_prepare(struct stat_load *load, struct xp_diag *diag);
/* Keeps one count; it may be damaged. */
void stat_load_count(struct stat_load *load, const struct stat_record *record);
void stat_load_fini(struct stat_load *load);

#endif
