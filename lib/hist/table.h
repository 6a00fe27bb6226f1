/* SPDX-License-Identifier: MIT */
/*
 * Numbers for distinct keys: 0, 1, 2 ... in the order they come. Keys are of one size, without
 * padding, and lie in one array; an open-addressing index finds them.
 */
#ifndef HIST_TABLE_H
#define HIST_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
	size_t key_bytes; /* a multiple of 8 */
	unsigned char *keys;
	uint32_t nr, cap;
	uint32_t *index; /* number + 1; 0: free */
	uint32_t mask;
};

/* The table is zero-initialised but for key_bytes. Sets *ret_nr. Returns 1 if the key is new, 0 or
 * -ENOMEM. */
int xp_table_intern(struct table *table, const void *key, uint32_t *ret_nr);

static inline const void *xp_table_key(const struct table *table, uint32_t nr)
{
	return table->keys + nr * table->key_bytes;
}

void xp_table_fini(struct table *table);

/* Makes room for element @nr of an array of which *@cap are there, zeroed. Returns 0 or -ENOMEM. */
int xp_array_grow(void *array_ptr, uint32_t *cap, uint32_t nr, size_t element_bytes);

#endif
