/* SPDX-License-Identifier: MIT */
/*
 * Numbers for distinct keys: 0, 1, 2 ... in the order they come. Keys are of one size, without
 * padding, and lie in one array, each with a value behind it; an open-addressing index finds them.
 * Beside a key's number the index has half of its hash, so that a key is looked at only where it is
 * nearly certain to be the right one.
 */
#ifndef HIST_TABLE_H
#define HIST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hash.h"

struct table {
	size_t key_bytes, entry_bytes; /* multiples of 8; an entry is a key and its value */
	unsigned char *entries;
	uint32_t nr, cap;
	uint64_t *index; /* half of the hash above number + 1; 0: free */
	uint32_t mask;
	uint64_t seed;
};

static inline struct table xp_table(size_t key_bytes, size_t entry_bytes)
{
	return (struct table){ .key_bytes = key_bytes,
			       .entry_bytes = entry_bytes,
			       .seed = xp_hash_seed() };
}

static inline uint64_t xp_table_hash(uint64_t seed, const void *key, size_t bytes)
{
	const unsigned char *at = key;
	uint64_t hash = seed ^ bytes, words[2] = { 0 };

	for (; bytes >= sizeof(words); at += sizeof(words), bytes -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		hash = xp_hash_fold(words[0] ^ hash, words[1] ^ seed);
	}
	if (bytes) {
		memcpy(words, at, sizeof(*words));
		hash = xp_hash_fold(words[0] ^ hash, seed);
	}
	return hash;
}

/* Where a hash is looked for first: what the index has of it, its upper half, decides. */
static inline uint32_t xp_table_slot(const struct table *table, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & table->mask;
}

/* The entry with this number: its key, and behind that the value, zeros at first. */
static inline void *xp_table_at(const struct table *table, uint32_t nr)
{
	return table->entries + nr * table->entry_bytes;
}

/* An entry for a key that is not there. Returns its number, or -ENOMEM. */
int64_t xp_table_add(struct table *table, uint64_t hash, const void *key);

/* Whether there is an entry for a key, whose hash is that of xp_table_hash(). */
static inline __attribute__((always_inline)) bool xp_table_has(const struct table *table,
							       const void *key, size_t bytes,
							       uint64_t hash, uint32_t *ret_nr)
{
	uint32_t at = xp_table_slot(table, hash);

	for (; table->index && table->index[at]; at = (at + 1) & table->mask) {
		uint32_t nr = (uint32_t)table->index[at] - 1;

		if ((table->index[at] ^ hash) >> 32 == 0 &&
		    !memcmp(xp_table_at(table, nr), key, bytes)) {
			*ret_nr = nr;
			return true;
		}
	}
	return false;
}

/* As xp_table_intern(), with the size of the key for the compiler to know. Where @hash is known
 * already, it need not be made again. */
static inline __attribute__((always_inline)) int xp_table_intern_hashed(struct table *table,
									const void *key,
									size_t bytes, uint64_t hash,
									uint32_t *ret_nr)
{
	if (xp_table_has(table, key, bytes, hash, ret_nr))
		return 0;
	int64_t nr = xp_table_add(table, hash, key);
	*ret_nr = (uint32_t)nr;
	return nr < 0 ? (int)nr : 1;
}

static inline __attribute__((always_inline)) int
xp_table_intern_sized(struct table *table, const void *key, size_t bytes, uint32_t *ret_nr)
{
	return xp_table_intern_hashed(table, key, bytes, xp_table_hash(table->seed, key, bytes),
				      ret_nr);
}

/* Sets *ret_nr. Returns 1 if the key is new, 0
 * or -ENOMEM. */
int xp_table_intern(struct table *table, const void *key, uint32_t *ret_nr);

void xp_table_fini(struct table *table);

/* Makes room for element @nr of an array of which *@cap are there, zeroed. Returns 0 or -ENOMEM. */
int xp_array_grow_to(void *array_ptr, uint32_t *cap, uint32_t nr, size_t element_bytes);

static inline int xp_array_grow(void *array_ptr, uint32_t *cap, uint32_t nr, size_t element_bytes)
{
	return nr < *cap ? 0 : xp_array_grow_to(array_ptr, cap, nr, element_bytes);
}

#endif
