/* SPDX-License-Identifier: MIT */
/* Open-addressing tables of keys of one size; see table.h. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15U;
	return h ^ (h >> 29);
}

static uint64_t hash(const void *key, size_t bytes)
{
	const uint64_t *words = key;
	uint64_t h = bytes;

	for (size_t i = 0; i < bytes / 8; i++)
		h = mix(h, words[i]);
	return mix(h, h >> 32);
}

static uint32_t *slot_of(const struct table *table, const void *key)
{
	uint32_t at = (uint32_t)hash(key, table->key_bytes) & table->mask;

	while (table->index[at] &&
	       memcmp(xp_table_key(table, table->index[at] - 1), key, table->key_bytes) != 0)
		at = (at + 1) & table->mask;
	return &table->index[at];
}

static int grow_index(struct table *table)
{
	uint32_t slots = table->index ? (table->mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *index = slots ? calloc(slots, sizeof(*index)) : NULL;

	if (!index)
		return -ENOMEM;
	free(table->index);
	table->index = index;
	table->mask = slots - 1;
	for (uint32_t i = 0; i < table->nr; i++)
		*slot_of(table, xp_table_key(table, i)) = i + 1;
	return 0;
}

int xp_array_grow(void *array_ptr, uint32_t *cap, uint32_t nr, size_t element_bytes)
{
	void **array = array_ptr;

	if (nr < *cap)
		return 0;
	uint32_t more = *cap ? *cap * 2 : 64;
	while (more <= nr && more)
		more *= 2;
	char *grown = more ? realloc(*array, more * element_bytes) : NULL;
	if (!grown)
		return -ENOMEM;
	memset(grown + *cap * element_bytes, 0, (more - *cap) * element_bytes);
	*array = grown;
	*cap = more;
	return 0;
}

int xp_table_intern(struct table *table, const void *key, uint32_t *ret_nr)
{
	if ((!table->index || table->nr >= table->mask / 4 * 3) && grow_index(table))
		return -ENOMEM;
	uint32_t *slot = slot_of(table, key);
	if (*slot) {
		*ret_nr = *slot - 1;
		return 0;
	}
	if (xp_array_grow(&table->keys, &table->cap, table->nr, table->key_bytes))
		return -ENOMEM;
	memcpy(table->keys + table->nr * table->key_bytes, key, table->key_bytes);
	*ret_nr = table->nr++;
	*slot = table->nr;
	return 1;
}

void xp_table_fini(struct table *table)
{
	free(table->keys);
	free(table->index);
	*table = (struct table){ .key_bytes = table->key_bytes };
}
