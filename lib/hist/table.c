/* SPDX-License-Identifier: MIT */
/* Open-addressing tables of keys of one size: how they grow; see table.h. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

static void put(struct table *table, uint64_t hash, uint32_t nr)
{
	uint32_t at = (uint32_t)hash & table->mask;

	while (table->index[at])
		at = (at + 1) & table->mask;
	table->index[at] = (hash >> 32 << 32) | (nr + 1);
}

/* Half full at most: whoever misses finds a free place soon. */
static int grow_index(struct table *table)
{
	uint32_t slots = table->index ? (table->mask + 1) * 2 : FIRST_SLOTS;
	uint64_t *index = slots ? calloc(slots, sizeof(*index)) : NULL;

	if (!index)
		return -ENOMEM;
	free(table->index);
	table->index = index;
	table->mask = slots - 1;
	for (uint32_t i = 0; i < table->nr; i++)
		put(table, xp_table_hash(xp_table_at(table, i), table->key_bytes), i);
	return 0;
}

int xp_array_grow_to(void *array_ptr, uint32_t *cap, uint32_t nr, size_t element_bytes)
{
	void **array = array_ptr;
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

int64_t xp_table_add(struct table *table, uint64_t hash, const void *key)
{
	if ((!table->index || table->nr >= table->mask / 2) && grow_index(table))
		return -ENOMEM;
	if (xp_array_grow(&table->entries, &table->cap, table->nr, table->entry_bytes))
		return -ENOMEM;
	memcpy(xp_table_at(table, table->nr), key, table->key_bytes);
	put(table, hash, table->nr);
	return table->nr++;
}

int xp_table_intern(struct table *table, const void *key, uint32_t *ret_nr)
{
	return xp_table_intern_sized(table, key, table->key_bytes, ret_nr);
}

void xp_table_fini(struct table *table)
{
	free(table->entries);
	free(table->index);
	*table = (struct table){ .key_bytes = table->key_bytes, .entry_bytes = table->entry_bytes };
}
