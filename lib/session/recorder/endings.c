/* SPDX-License-Identifier: MIT */
/* Counts chains by their end and the file that it is in. */
#include "endings.h"

#include <stdlib.h>
#include <xperf/chain-ends.h>
#include <xperf/unwind.h>

#include "vec.h"

void xp_endings_fini(struct xp_endings *endings)
{
	index_fini(&endings->by_file);
	free(endings->at);
}

static enum xp_chain_end end_of(const struct xp_unwind_chain *chain, size_t nr_joined)
{
	static const enum xp_chain_end ends[] = {
		[XP_UNWIND_COMPLETE] = XP_CHAIN_COMPLETE,
		[XP_UNWIND_END_OF_DUMP] = XP_CHAIN_STACK_END,
		[XP_UNWIND_NO_INFO] = XP_CHAIN_NO_RULES,
		[XP_UNWIND_NOT_MAPPED] = XP_CHAIN_NOWHERE,
		[XP_UNWIND_LIMIT] = XP_CHAIN_LIMIT,
		[XP_UNWIND_BAD] = XP_CHAIN_NO_CALL,
		[XP_UNWIND_NO_STACK] = XP_CHAIN_NO_STACK,
		[XP_UNWIND_NO_FILE] = XP_CHAIN_NO_FILE,
		[XP_UNWIND_NO_LIBRARY] = XP_CHAIN_NO_LIBRARY,
	};

	return nr_joined && chain->end == XP_UNWIND_COMPLETE ? XP_CHAIN_JOINED : ends[chain->end];
}

/* What there is no memory for is not counted. */
void xp_endings_add(struct xp_endings *endings, enum xp_chain_end end, struct xp_unwind_file *file)
{
	uint64_t hash = xp_hash_word(xp_hash_seed() + end, (uintptr_t)file);
	size_t at;

	for (struct index_walk walk = index_walk(&endings->by_file, hash);
	     index_next(&walk, &at);) {
		struct xp_ending *ending = &endings->at[at];

		if (ending->file == file && ending->end == end) {
			ending->nr++;
			return;
		}
	}
	if (vec_add(&endings->at, endings->nr, sizeof(*endings->at)) ||
	    index_add(&endings->by_file, hash, endings->nr))
		return;
	endings->at[endings->nr++] = (struct xp_ending){ file, end, 1 };
}

void xp_endings_count(struct xp_endings *endings, const struct xp_unwind_chain *chain,
		      size_t nr_joined)
{
	xp_endings_add(endings, end_of(chain, nr_joined), chain->end_file);
}

int xp_endings_add_to(const struct xp_endings *endings, struct xp_chain_ends *ends)
{
	int err = 0;

	for (size_t i = 0; i < endings->nr && !err; i++) {
		const struct xp_ending *ending = &endings->at[i];
		const char *name = ending->file ? xp_unwind_file_name(ending->file) : NULL;

		err = xp_chain_ends_add(ends, ending->end, name, ending->nr);
	}
	return err;
}
