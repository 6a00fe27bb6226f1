/* SPDX-License-Identifier: MIT */
/*
 * Address spaces as they were at every time: sets of ranges that do not overlap, where a changed
 * set shares what did not change with the one before it. A copy is the number of its root.
 *
 * Nodes that were made under the stamp in use are changed in place, others are copied first: who
 * wants a set to stay as it is takes a new stamp.
 */
#ifndef SESSION_RANGES_H
#define SESSION_RANGES_H

#include <xperf/api.h>

/* One range; @map: what is there. Nodes 0 is the empty set. */
struct range {
	uint64_t start, end; /* @end is behind the last */
	uint32_t map;
	uint32_t left, right;
	uint32_t stamp;
	uint8_t height;
};

/* Zero-initialised is empty; free with xp_ranges_fini(). */
struct ranges {
	struct range *nodes;
	size_t nr, cap;
	uint32_t stamp; /* in use */
};

#define RANGES_NO_MAP UINT32_MAX

/* The range at an address; NULL: there is none. Any number of threads. */
const struct range *xp_ranges_at(const struct ranges *ranges, uint32_t root, uint64_t address);
/* The range at an address, or, with RANGES_NO_MAP, what is free around it. */
struct range xp_ranges_gap(const struct ranges *ranges, uint32_t root, uint64_t address);
/* The last range that begins below @end; NULL: there is none. */
const struct range *xp_ranges_below(const struct ranges *ranges, uint32_t root, uint64_t end);
/*
 * Puts @map at [@start, @end) in the place of what is there; of ranges that reach beyond, the parts
 * outside stay. RANGES_NO_MAP: nothing is there afterwards.
 * Returns 0 with the new root in *root, or -ENOMEM.
 */
int xp_ranges_put(struct ranges *ranges, uint32_t *root, uint64_t start, uint64_t end,
		  uint32_t map);
void xp_ranges_fini(struct ranges *ranges);

#endif
