/* SPDX-License-Identifier: MIT */
/* The build ids of files that a recording maps. */
#ifndef INJECT_MAPPED_IDS_H
#define INJECT_MAPPED_IDS_H

#include <stdio.h>
#include <xperf/api.h>

#include "index.h"

struct xp_record;

/* Files by their names; zero-initialised is empty. */
struct mapped_ids {
	char **names;
	size_t nr;
	struct index by_name;
};

/* Of a record of the recording: a file that is mapped for execution, without its build id. Returns
 * 0 or -ENOMEM. */
int mapped_ids_note(struct mapped_ids *ids, const struct xp_record *record);
/* Writes HEADER_BUILD_ID records of the files that are there and have a build id, but for those
 * that
 * @known has, too. Returns 0 or -ENOMEM. */
int mapped_ids_write(const struct mapped_ids *ids, const struct mapped_ids *known, FILE *out);
/* Adds a name. Returns 0 or -ENOMEM. */
int mapped_ids_add(struct mapped_ids *ids, const char *name);
void mapped_ids_fini(struct mapped_ids *ids);

#endif
