/* SPDX-License-Identifier: MIT */
/* Maps of processes for the walk by rules, kept up with the side band of a recording. */
#ifndef BPF_RULE_BAND_H
#define BPF_RULE_BAND_H

#include "live-maps.h"
#include "rule-files.h"
#include "rule-tables.h"

/* A process whose maps may have changed. */
struct band_change {
	uint32_t pid, parent; /* parent 0: it was not forked */
};

/* A process whose maps were read from /proc, and when. */
struct band_unknown {
	uint32_t pid;
	uint64_t described_ns;
};

/* @build_ids: records of maps have them */
struct rule_band {
	struct xp_ctx *ctx;
	bool build_ids;
	struct rule_tables *tables;
	struct rule_files *files;
	struct xp_unwind *unwind;
	struct xp_live_maps maps;
	struct band_change *changes;
	size_t nr_changes, room;
	struct band_unknown described[RULE_UNKNOWN]; /* by place, as the kernel asks for them */
	uint64_t pruned_ns;
};

/* Notes a record. @time_ns: 0: it describes what is there already. Records come in the order of
 * time but for little. */
void xp_rule_band_note(struct rule_band *band, const struct xp_record *record, uint64_t time_ns);
/* All records up to a time have come: the tables become what they say. */
void xp_rule_band_known(struct rule_band *band, uint64_t until_ns);
/* Reads the maps of a process from /proc whose stack the kernel was to walk. */
void xp_rule_band_describe(struct rule_band *band, uint32_t pid);
void xp_rule_band_fini(struct rule_band *band);

#endif
