/* SPDX-License-Identifier: MIT */
/* What a report for people says of a recording beside its samples: what, where, and how good. */
#ifndef EXPORT_NOTES_H
#define EXPORT_NOTES_H

#include <xperf/api.h>

#include "recording.h"

struct xp_profile;
struct xp_record;
struct xp_tree;
struct xp_tree_info;

/* What was not recorded, counted in the first pass. */
struct losses {
	uint64_t samples, records, throttled;
};

/* Counts what a record says of it. */
void losses_note(struct losses *losses, const struct xp_record *record);

/* Adds the notes. @profile: resolved; its tree is described already. Returns 0 or a negative
 * errno. */
int notes_add(struct recording *rec, struct xp_profile *profile, const struct losses *losses,
	      const struct xp_tree_info *info, struct xp_tree *tree);

#endif
