/* SPDX-License-Identifier: MIT */
#include "mapped-ids.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symbol.h>

#include "map-id.h"
#include "vec.h"

static uint64_t hash_of(const char *name)
{
	return xp_hash_bytes(xp_hash_seed(), name, strlen(name));
}

static bool has(const struct mapped_ids *ids, const char *name)
{
	size_t at;

	for (struct index_walk walk = index_walk(&ids->by_name, hash_of(name));
	     index_next(&walk, &at);)
		if (!strcmp(ids->names[at], name))
			return true;
	return false;
}

int mapped_ids_add(struct mapped_ids *ids, const char *name)
{
	if (has(ids, name))
		return 0;
	char *copy = strdup(name);
	if (!copy || vec_add(&ids->names, ids->nr, sizeof(*ids->names)) ||
	    index_add(&ids->by_name, hash_of(name), ids->nr)) {
		free(copy);
		return -ENOMEM;
	}
	ids->names[ids->nr++] = copy;
	return 0;
}

/* Devices and what is in no directory have no build id. */
static bool is_file(const char *name)
{
	return *name == '/' && strncmp(name, "//", 2) != 0 && strncmp(name, "/dev/", 5) != 0 &&
	       strncmp(name, "/memfd:", 7) != 0;
}

int mapped_ids_note(struct mapped_ids *ids, const struct xp_record *record)
{
	const char *name = NULL;

	if (record->misc & XP_MISC_MMAP_DATA)
		return 0;
	if (record->type == XP_RECORD_MMAP)
		name = (const char *)((const struct xp_record_mmap *)record + 1);
	else if (record->type == XP_RECORD_MMAP2 &&
		 !has_map_id((const struct xp_record_mmap2 *)record))
		name = (const char *)((const struct xp_record_mmap2 *)record + 1);
	return name && is_file(name) ? mapped_ids_add(ids, name) : 0;
}

static int write_one(const char *name, const struct xp_build_id *id, FILE *out)
{
	struct {
		struct xp_record_build_id id;
		char name[PATH_MAX + 8];
	} record = { .id = { .header = { .type = XP_RECORD_HEADER_BUILD_ID,
					 .misc = XP_MISC_BUILD_ID_SIZE | XP_MISC_USER },
			     .pid = -1 } };
	size_t len = strlen(name);

	if (len >= PATH_MAX || id->len > sizeof(record.id.build_id))
		return 0;
	record.id.header.size = (uint16_t)((sizeof(record.id) + len + 8) & ~(size_t)7);
	record.id.build_id_size = (uint8_t)id->len;
	memcpy(record.id.build_id, id->bytes, id->len);
	memcpy(record.name, name, len);
	return fwrite(&record, record.id.header.size, 1, out) == 1 ? 0 : -ENOMEM;
}

int mapped_ids_write(const struct mapped_ids *ids, const struct mapped_ids *known, FILE *out)
{
	struct xp_build_id id;
	int err = 0;

	for (size_t i = 0; i < ids->nr && !err; i++)
		if (!has(known, ids->names[i]) && !xp_symbol_build_id(ids->names[i], &id, NULL))
			err = write_one(ids->names[i], &id, out);
	return err;
}

void mapped_ids_fini(struct mapped_ids *ids)
{
	for (size_t i = 0; i < ids->nr; i++)
		free(ids->names[i]);
	free(ids->names);
	index_fini(&ids->by_name);
	*ids = (struct mapped_ids){ 0 };
}
