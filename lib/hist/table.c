/* SPDX-License-Identifier: MIT */
/* Open-addressing tables of keys of one size: how they grow; see table.h. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#include "pages.h"

enum { FIRST_SLOTS = 64, FIRST_ENTRIES = 16 };

static void put(struct table *table, uint64_t slot)
{
	uint32_t at = xp_table_slot(table, slot);

	while (table->index[at])
		at = (at + 1) & table->mask;
	table->index[at] = slot;
}

static size_t index_bytes(const struct table *table)
{
	return table->index ? ((size_t)table->mask + 1) * sizeof(*table->index) : 0;
}

/* Half full at most: whoever misses finds a free place soon. Keys are not needed for it, which are
 * in memory that is far away. */
static int grow_index(struct table *table)
{
	struct table old = *table;
	uint32_t slots = table->index ? (table->mask + 1) * 2 : FIRST_SLOTS;
	uint64_t *index = slots ? xp_pages_alloc(slots * sizeof(*index)) : NULL;

	if (!index)
		return -ENOMEM;
	table->index = index;
	table->mask = slots - 1;
	for (uint32_t i = 0; old.index && i <= old.mask; i++)
		if (old.index[i])
			put(table, old.index[i]);
	xp_pages_free(old.index, index_bytes(&old));
	return 0;
}

static int grow_entries(struct table *table)
{
	uint32_t cap = table->cap ? table->cap * 2 : FIRST_ENTRIES;
	void *entries = cap ? xp_pages_alloc(cap * table->entry_bytes) : NULL;

	if (!entries)
		return -ENOMEM;
	if (table->nr)
		memcpy(entries, table->entries, table->nr * table->entry_bytes);
	xp_pages_free(table->entries, table->cap * table->entry_bytes);
	table->entries = entries;
	table->cap = cap;
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
	if (table->nr == table->cap && grow_entries(table))
		return -ENOMEM;
	memcpy(xp_table_at(table, table->nr), key, table->key_bytes);
	put(table, (hash >> 32 << 32) | (table->nr + 1));
	return table->nr++;
}

int xp_table_intern(struct table *table, const void *key, uint32_t *ret_nr)
{
	return xp_table_intern_sized(table, key, table->key_bytes, ret_nr);
}

void xp_table_fini(struct table *table)
{
	xp_pages_free(table->entries, table->cap * table->entry_bytes);
	xp_pages_free(table->index, index_bytes(table));
	*table = (struct table){ .key_bytes = table->key_bytes, .entry_bytes = table->entry_bytes };
}
