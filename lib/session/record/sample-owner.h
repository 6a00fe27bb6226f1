/* SPDX-License-Identifier: MIT */
/* Whose a sample is that has the id of another recorder's event. */
#ifndef SESSION_SAMPLE_OWNER_H
#define SESSION_SAMPLE_OWNER_H

#include <xperf/api.h>

struct xp_attr;
struct xp_record;

/* Events of a recording, or of a list: all whose samples come to the same place. */
struct xp_owners {
	const struct xp_attr *(*attr_at)(const void *list, int event);
	const void *list;
	int nr;
	bool is_swapped; /* raw data have the other byte order */
};

/* Whether the kernel can give samples of an event the id of another one. */
bool xp_sample_shares_id(const struct xp_attr *attr);

/* The event that a sample is of whose id is unknown. Returns -1: there is none, or are several. */
int xp_sample_owner(const struct xp_record *record, const struct xp_owners *owners);

/* In place, wherever the attribute says that the sample has it. */
void xp_sample_set_id(struct xp_record *record, const struct xp_attr *attr, uint64_t id);

#endif
