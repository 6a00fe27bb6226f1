/* SPDX-License-Identifier: MIT */
/* How the chains ended that were made while recording. */
#ifndef SESSION_ENDINGS_H
#define SESSION_ENDINGS_H

#include <xperf/chain-ends.h>

#include "index.h"

struct xp_chain_ends;
struct xp_unwind_chain;
struct xp_unwind_file;

/* Chains that ended alike, in one file. */
struct xp_ending {
	const char *file; /* NULL: in none */
	enum xp_chain_end end;
	uint64_t nr;
};

/* Zero-initialised is empty. */
struct xp_endings {
	struct xp_ending *at;
	size_t nr;
	struct index by_file;
};

void xp_endings_fini(struct xp_endings *endings);
/* Counts a chain. @file: a name that stays where it is; what there is no memory for is not counted
 */
void xp_endings_add(struct xp_endings *endings, enum xp_chain_end end, const char *file);
/* Returns 0 or -ENOMEM. */
int xp_endings_add_to(const struct xp_endings *endings, struct xp_chain_ends *ends);

#endif
