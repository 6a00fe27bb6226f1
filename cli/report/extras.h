/* SPDX-License-Identifier: MIT */
/* What samples hold beside what the profile knows, from inside. */
#ifndef REPORT_EXTRAS_H
#define REPORT_EXTRAS_H

#include "report.h"

enum { NR_EXTRAS = NR_COLUMNS - XP_NR_KEYS, TEXT_BYTES = 128, TEXT_SLOTS = 4096 };

struct tag {
	uint64_t values[NR_EXTRAS]; /* numbers, and addresses of texts */
};

struct extras {
	struct recording *rec;
	const struct plan *plan;
	int columns[NR_EXTRAS]; /* those that are keys, in their order */
	int nr_columns;
	struct tag *tags;
	uint32_t nr_tags, tags_room;
	uint32_t *index; /* open addressing: tag + 1; 0: free */
	uint32_t index_mask;
	struct text *texts[TEXT_SLOTS];
	struct cgroup {
		uint64_t id;
		const char *path;
	} * cgroups;
	size_t nr_cgroups;
	struct namespace
	{
		int32_t tid;
		uint64_t time_ns;
		uint64_t device, inode;
	}
	*namespaces; /* of control groups, as they were told */
	size_t nr_namespaces;
	char shown[TEXT_BYTES];
};

struct found {
	struct extras *extras;
	int event, column;
	const struct xp_sample *sample;
	const struct xp_branch *branch; /* NULL: none */
};

/* What a column is in a sample, and as text; without @show, values are texts, and 0 is an error. */
struct extra_kind {
	uint64_t (*find)(const struct found *found);
	void (*show)(struct extras *extras, uint64_t value);
	bool more_first;
};

/* extras-kinds.c */
const struct extra_kind *extra_kind(int column);
/* extras.c: the same text each time. Returns NULL without memory. */
const char *extras_keep(struct extras *extras, const char *bytes);

#endif
