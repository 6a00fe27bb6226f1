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

void xp_endings_add(struct xp_endings *endings, enum xp_chain_end end, const char *file)
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

int xp_endings_add_to(const struct xp_endings *endings, struct xp_chain_ends *ends)
{
	int err = 0;

	for (size_t i = 0; i < endings->nr && !err; i++) {
		const struct xp_ending *ending = &endings->at[i];

		err = xp_chain_ends_add(ends, ending->end, ending->file, ending->nr);
	}
	return err;
}
