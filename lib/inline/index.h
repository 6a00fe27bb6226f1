/* SPDX-License-Identifier: MIT */
/*
 * Finds elements of an array by their hash: open addressing, at most half full. The array is the
 * caller's, who also compares:
 *
 *     size_t at;
 *     for (struct index_walk walk = index_walk(&index, hash); index_next(&walk, &at);)
 *             if (is_same(&array[at], key))
 *                     return &array[at];
 *     if (index_add(&index, hash, nr))
 *             return NULL;
 *     array[nr++] = …;
 */
#ifndef INLINE_INDEX_H
#define INLINE_INDEX_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "hash.h"

struct index_slot {
	uint32_t hash; /* its upper half */
	uint32_t at;   /* plus 1; 0: free */
};

/* Zero-initialised is empty; free with index_fini(). */
struct index {
	struct index_slot *slots;
	size_t nr, room; /* room: 0 or a power of two */
};

/* Elements whose hash is, or begins as, a given one. */
struct index_walk {
	const struct index *index;
	size_t slot;
	uint32_t hash;
};

static inline void index_fini(struct index *index)
{
	free(index->slots);
	*index = (struct index){ 0 };
}

static inline struct index_walk index_walk(const struct index *index, uint64_t hash)
{
	/* The upper half decides: the lower one of a product depends on few bits. */
	return (struct index_walk){ index, (size_t)(hash >> 32) & (index->room - 1),
				    (uint32_t)(hash >> 32) };
}

/* Returns whether there is another element, with its place in the array. */
static inline bool index_next(struct index_walk *walk, size_t *ret_at)
{
	const struct index *index = walk->index;

	while (index->room && index->slots[walk->slot].at) {
		const struct index_slot *slot = &index->slots[walk->slot];

		walk->slot = (walk->slot + 1) & (index->room - 1);
		if (slot->hash == walk->hash) {
			*ret_at = slot->at - 1;
			return true;
		}
	}
	return false;
}

static inline void index_put(struct index *index, struct index_slot slot)
{
	size_t at = slot.hash & (index->room - 1);

	while (index->slots[at].at)
		at = (at + 1) & (index->room - 1);
	index->slots[at] = slot;
}

/* Adds element @at, below 2^32 - 1, of which there is none yet. Returns 0 or -ENOMEM. */
static inline int index_add(struct index *index, uint64_t hash, size_t at)
{
	if (at >= UINT32_MAX)
		return -ENOMEM;
	if (index->nr * 2 >= index->room) {
		struct index larger = { .nr = index->nr,
					.room = index->room ? index->room * 2 : 64 };

		larger.slots = calloc(larger.room, sizeof(*larger.slots));
		if (!larger.slots)
			return -ENOMEM;
		for (size_t i = 0; i < index->room; i++)
			if (index->slots[i].at)
				index_put(&larger, index->slots[i]);
		free(index->slots);
		*index = larger;
	}
	index_put(index, (struct index_slot){ (uint32_t)(hash >> 32), (uint32_t)at + 1 });
	index->nr++;
	return 0;
}

#endif
