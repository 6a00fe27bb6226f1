/* SPDX-License-Identifier: MIT */
/* A tree in the terms of pprof and OTLP: locations are addresses with what is inlined there, and
 * functions, and all texts are numbers. */
#ifndef EXPORT_LOCATIONS_H
#define EXPORT_LOCATIONS_H

#include <xperf/export.h>

#include "tree.h"

/* @outer: the location of what the frame is inlined in, or NO_CALL */
struct location {
	uint32_t outer, frame;
};

struct located_function {
	const char *name, *source;
	uint64_t start_line;
};

/* Numbers begin with 0. @calls: per call of the tree, its location */
struct locations {
	const struct xp_tree *tree;
	struct xp_intern kept;
	struct table texts, locations, functions;
	uint32_t *calls;
	bool failed; /* without memory */
};

/* Finds all locations; the text "" has the number 0. xp_locations_fini() in any case. Returns 0 or
 * -ENOMEM. */
int xp_locations_init(struct locations *locations, const struct xp_tree *tree);
void xp_locations_fini(struct locations *locations);
/* Numbers; without memory, locations->failed. */
uint64_t xp_locations_text(struct locations *locations, const char *text);
uint64_t xp_locations_function(struct locations *locations, const struct tree_frame *frame);

const char *xp_locations_text_at(const struct locations *locations, uint32_t nr);

static inline const struct location *location_at(const struct locations *locations, uint32_t nr)
{
	return xp_table_at(&locations->locations, nr);
}

/* What it is inlined in; NULL: nothing. */
static inline const struct location *location_outer(const struct locations *locations,
						    const struct location *location)
{
	return location->outer == NO_CALL ? NULL : location_at(locations, location->outer);
}

static inline const struct located_function *function_at(const struct locations *locations,
							 uint32_t nr)
{
	return xp_table_at(&locations->functions, nr);
}

/* The call whose location comes after that of @at in a chain, outwards: what it is inlined in is a
 * part of its location. */
static inline uint32_t location_caller(const struct xp_tree *tree, uint32_t at)
{
	while (at != NO_CALL &&
	       tree_frame(tree, tree_call(tree, at)->frame)->marks & XP_MARK_INLINED)
		at = tree_call(tree, at)->parent;
	return at == NO_CALL ? NO_CALL : tree_call(tree, at)->parent;
}

#endif
