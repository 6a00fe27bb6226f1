/* SPDX-License-Identifier: MIT */
/*
 * The package is "PROGRAM.dwp". A .dwo file is where the compiler put it, or beside the program. A
 * unit with another id is not the one.
 *
 * Source: DWARF 5, 7.3.2 and 7.3.5; for DWARF 4 "DebugFissionDWP" of GCC's wiki.
 */
#include "split.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "constants.h"

static int image_new(const char *path, struct image **ret_image)
{
	struct image *image = malloc(sizeof(*image));

	if (!image)
		return -ENOMEM;
	int err = xp_dwarf_image_open(path, true, image);
	if (err)
		free(image);
	else
		*ret_image = image;
	return err;
}

static void image_free(struct image *image)
{
	if (!image)
		return;
	xp_dwarf_image_close(image);
	free(image);
}

void xp_split_package_fini(struct split_package *package)
{
	image_free(package->image);
}

static struct image *package_of(const char *path, struct split_package *package)
{
	xp_auto_free char *name = NULL;

	if (package->is_tried)
		return package->image;
	package->is_tried = true;
	if (asprintf(&name, "%s.dwp", path) < 0)
		name = NULL;
	if (!name || image_new(name, &package->image))
		package->image = NULL;
	return package->image;
}

/* --- the index of a package --- */

/* What follows each other: 64 bits ids, rows of them, columns of sections, offsets, sizes. */
struct unit_index {
	struct cursor ids, rows, columns, offsets;
	uint32_t nr_columns, nr_units, nr_slots;
};

static bool part(struct cursor *all, uint64_t len, struct cursor *ret_part)
{
	*ret_part = *all;
	ret_part->end = all->at + (len < cursor_left(all) ? len : cursor_left(all));
	return cursor_skip(all, len);
}

static bool read_index(struct image *image, struct unit_index *index)
{
	struct cursor c;

	if (!xp_dwarf_read(image, DWARF_CU_INDEX, 0, UINT64_MAX, &c))
		return false;
	/* Version 5 has it in two bytes; what the other two are is 0 in both byte orders. */
	uint32_t version = cursor_u32(&c);
	index->nr_columns = cursor_u32(&c);
	index->nr_units = cursor_u32(&c);
	index->nr_slots = cursor_u32(&c);
	if (c.failed || (version != 2 && version != 5 && version != 5U << 16) || !index->nr_slots ||
	    index->nr_slots & (index->nr_slots - 1))
		return false;
	return part(&c, UINT64_C(8) * index->nr_slots, &index->ids) &&
	       part(&c, UINT64_C(4) * index->nr_slots, &index->rows) &&
	       part(&c, UINT64_C(4) * index->nr_columns, &index->columns) &&
	       part(&c, UINT64_C(4) * index->nr_columns * index->nr_units, &index->offsets);
}

static uint64_t id_at(struct unit_index *index, uint64_t slot)
{
	struct cursor c = index->ids;

	cursor_skip(&c, slot * 8);
	return cursor_u64(&c);
}

static uint32_t number_at(const struct cursor *numbers, uint64_t at)
{
	struct cursor c = *numbers;

	cursor_skip(&c, at * 4);
	return cursor_u32(&c);
}

/* The row of a unit, from 1; 0: there is none. */
static uint32_t row_of(struct unit_index *index, uint64_t id)
{
	uint64_t mask = index->nr_slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;

	for (uint32_t i = 0; i < index->nr_slots; i++, slot = (slot + step) & mask) {
		uint32_t row = number_at(&index->rows, slot);

		if (!row)
			return 0;
		if (id_at(index, slot) == id)
			return row <= index->nr_units ? row : 0;
	}
	return 0;
}

static int find_in_package(struct image *image, uint64_t id, struct die_unit *unit)
{
	struct unit_index index;
	uint64_t offsets[DW_SECT_RNGLISTS + 1] = { 0 };
	uint32_t row = read_index(image, &index) ? row_of(&index, id) : 0;

	if (!row)
		return -ENOENT;
	for (uint32_t i = 0; i < index.nr_columns; i++) {
		uint32_t section = number_at(&index.columns, i);

		if (section < XP_ARRAY_LEN(offsets))
			offsets[section] = number_at(&index.offsets,
						     (uint64_t)(row - 1) * index.nr_columns + i);
	}
	if (!xp_die_unit_at(image, offsets[DW_SECT_INFO], unit) || !unit->version)
		return -ENOENT;
	unit->abbrev_at += offsets[DW_SECT_ABBREV];
	unit->str_offsets_base = offsets[DW_SECT_STR_OFFSETS];
	if (unit->version >= 5)
		unit->rnglists_base = offsets[DW_SECT_RNGLISTS];
	return 0;
}

/* --- one unit in a file of its own --- */

/* The first that is not one of types. */
static int find_unit(struct image *image, struct die_unit *unit)
{
	for (uint64_t at = 0; xp_die_unit_at(image, at, unit); at = unit->end)
		if (unit->version && unit->type != DW_UT_type && unit->type != DW_UT_split_type)
			return 0;
	return -ENOENT;
}

/* Learns its bases, and whether it is the one. */
static int fit(const struct die_unit *skeleton, struct die_unit *unit)
{
	struct value values[DIE_NR_ATTRS];

	unit->alt = NULL;
	bool is_it = xp_die_unit_top(unit, skeleton, values) && unit->id == skeleton->id;
	return is_it && xp_die_unit_load(unit) ? 0 : -ENOENT;
}

static int find_in_file(const char *path, const struct die_unit *skeleton, struct die_unit *unit,
			struct image **ret_own)
{
	struct image *image;
	int err = image_new(path, &image);

	if (err)
		return xp_is_shortage(err) ? err : -ENOENT;
	err = find_unit(image, unit) ?: fit(skeleton, unit);
	if (err)
		image_free(image);
	else
		*ret_own = image;
	return err;
}

static int format_path(char **ret_path, const char *dir, int dir_len, const char *name)
{
	const char *between = dir_len && *name != '/' ? "/" : "";

	if (*name == '/')
		dir_len = 0;
	return asprintf(ret_path, "%.*s%s%s", dir_len, dir ? dir : "", between, name) < 0 ? -ENOMEM
											  : 0;
}

int xp_split_find(const char *path, struct split_package *package, const struct die_unit *skeleton,
		  const struct split_name *name, struct die_unit *ret_unit, struct image **ret_own)
{
	struct image *image = package_of(path, package);
	const char *slash = strrchr(path, '/'), *base = strrchr(name->name, '/');
	int here = slash ? (int)(slash - path) : 0;
	const struct {
		const char *dir;
		int dir_len;
		const char *name;
	} places[] = {
		{ name->dir, name->dir ? (int)strlen(name->dir) : 0, name->name },
		{ path, here, name->name },
		{ path, here, base ? base + 1 : name->name },
	};

	*ret_own = NULL;
	if (image && !find_in_package(image, skeleton->id, ret_unit) && !fit(skeleton, ret_unit))
		return 0;
	int err = -ENOENT;
	for (size_t i = 0; i < XP_ARRAY_LEN(places) && err == -ENOENT; i++) {
		xp_auto_free char *at = NULL;

		err = format_path(&at, places[i].dir, places[i].dir_len, places[i].name);
		if (err)
			at = NULL;
		else
			err = find_in_file(at, skeleton, ret_unit, ret_own);
	}
	return err;
}
