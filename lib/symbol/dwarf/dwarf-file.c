/* SPDX-License-Identifier: MIT */
/*
 * From an address to its unit, to the tables of that unit, which are made when the first address in
 * it is asked for.
 *
 * Of each unit only the header and the first DIE are read when the file is opened: these have its
 * addresses. .debug_aranges, which would have them, too, is often missing.
 *
 * Files are untrusted: tables are bounded by the sizes of the sections.
 */
#include "dwarf-file.h"

#include <errno.h>
#include <stdlib.h>

#include "alt.h"
#include "constants.h"
#include "inlines.h"
#include "lines.h"
#include "range.h"
#include "search.h"
#include "split.h"
#include "vec.h"

/* @dies: where its functions are: of split DWARF in another file, @own if that is for this unit
 * only */
struct tables {
	struct die_unit lines, dies;
	struct image *own;
	const char *dir;
	struct line_table line_table;
	struct inline_table inline_table;
};

struct unit {
	uint64_t at;
	struct tables *tables; /* NULL: not made yet */
};

struct xp_dwarf {
	char *path;
	struct image main;
	struct image *alt;
	struct split_package package;
	struct unit *units; /* that have code */
	size_t nr_units, room_units;
	struct range *ranges; /* of units, by their numbers */
	size_t nr_ranges, room_ranges;
};

/* --- which unit --- */

/* Joins one with the last one of the same unit. What is between them is less than a function; if it
 * is one of another unit, that has the narrower range. */
static int add_range(struct xp_dwarf *dwarf, const struct code *code, uint32_t unit)
{
	enum { GAP = 16 };
	struct range *last = dwarf->nr_ranges ? &dwarf->ranges[dwarf->nr_ranges - 1] : NULL;

	if (last && last->owner == unit && code->start >= last->end &&
	    code->start - last->end < GAP) {
		last->end = code->end;
		return 0;
	}
	if (vec_reserve(&dwarf->ranges, dwarf->nr_ranges, &dwarf->room_ranges,
			sizeof(*dwarf->ranges)))
		return -ENOMEM;
	dwarf->ranges[dwarf->nr_ranges++] =
		(struct range){ .start = code->start, .end = code->end, .owner = unit };
	return 0;
}

static int add_unit(struct xp_dwarf *dwarf, const struct die_unit *unit, const struct codes *codes)
{
	uint32_t nr = (uint32_t)dwarf->nr_units;
	int err = 0;

	if (dwarf->nr_units == UINT32_MAX ||
	    vec_reserve(&dwarf->units, dwarf->nr_units, &dwarf->room_units, sizeof(*dwarf->units)))
		return -ENOMEM;
	dwarf->units[dwarf->nr_units++] = (struct unit){ .at = unit->offset };
	for (size_t i = 0; i < codes->nr && !err; i++)
		err = add_range(dwarf, &codes->at[i], nr);
	return err;
}

static bool may_have_code(const struct die_unit *unit)
{
	return unit->version && unit->type != DW_UT_type && unit->type != DW_UT_partial;
}

/* Damage ends the walk: what comes before it is there. */
static int find_units(struct xp_dwarf *dwarf)
{
	struct value values[DIE_NR_ATTRS];
	struct codes codes = { 0 };
	struct die_unit unit;
	int err = 0;

	for (uint64_t at = 0; !err && xp_die_unit_at(&dwarf->main, at, &unit); at = unit.end) {
		unit.alt = dwarf->alt;
		if (!may_have_code(&unit) || !xp_die_unit_top(&unit, NULL, values))
			continue;
		codes.nr = 0;
		err = xp_die_codes(&unit, values, &codes);
		if (!err && codes.nr)
			err = add_unit(dwarf, &unit, &codes);
	}
	free(codes.at);
	range_sort(dwarf->ranges, dwarf->nr_ranges);
	return err;
}

/* --- its tables --- */

/* Where the functions of a skeleton are; without the other file, what it has itself. */
static void find_split(struct xp_dwarf *dwarf, struct tables *tables,
		       const struct value values[DIE_NR_ATTRS])
{
	struct die_unit *lines = &tables->lines, split;
	struct split_name name = { .dir = tables->dir,
				   .name = xp_die_text(lines, &values[DIE_DWO_NAME]) };

	if (!name.name)
		return;
	int err = xp_split_find(dwarf->path, &dwarf->package, lines, &name, &split, &tables->own);
	image_note(&dwarf->main, err);
	if (!err)
		tables->dies = split;
}

static void fill(struct xp_dwarf *dwarf, uint64_t at, struct tables *tables)
{
	struct die_unit *lines = &tables->lines;
	struct value values[DIE_NR_ATTRS];

	if (!xp_die_unit_at(&dwarf->main, at, lines) || !lines->version)
		return;
	lines->alt = dwarf->alt;
	if (!xp_die_unit_load(lines) || !xp_die_unit_top(lines, NULL, values))
		return;
	tables->dir = xp_die_text(lines, &values[DIE_COMP_DIR]);
	tables->dies = *lines;
	find_split(dwarf, tables, values);
	if (values[DIE_STMT_LIST].form)
		image_note(&dwarf->main,
			   xp_lines_read(lines, values[DIE_STMT_LIST].number, &tables->line_table));
	image_note(&dwarf->main, xp_inlines_read(&tables->dies, &tables->inline_table));
	if (tables->own)
		image_note(&dwarf->main, tables->own->shortage);
}

/* Why something was not read since this was asked last; 0: nothing was missing. */
static int reset_shortage(struct xp_dwarf *dwarf)
{
	int err = dwarf->main.shortage;

	if (dwarf->alt) {
		err = err ?: dwarf->alt->shortage;
		dwarf->alt->shortage = 0;
	}
	dwarf->main.shortage = 0;
	return err;
}

static void free_tables(struct tables *tables);

/* NULL: no memory, or no descriptor. What is damaged has empty tables. */
static struct tables *tables_of(struct xp_dwarf *dwarf, struct unit *unit)
{
	if (unit->tables)
		return unit->tables;
	unit->tables = calloc(1, sizeof(*unit->tables));
	if (unit->tables)
		fill(dwarf, unit->at, unit->tables);
	else
		image_note(&dwarf->main, -ENOMEM);
	if (dwarf->main.shortage || (dwarf->alt && dwarf->alt->shortage)) {
		free_tables(unit->tables);
		unit->tables = NULL;
	}
	return unit->tables;
}

static void free_tables(struct tables *tables)
{
	if (!tables)
		return;
	xp_line_table_fini(&tables->line_table);
	xp_inline_table_fini(&tables->inline_table);
	if (tables->own)
		xp_dwarf_image_close(tables->own);
	free(tables->own);
	free(tables);
}

/* --- files --- */

static int begin(struct xp_dwarf *dwarf, const char *path)
{
	dwarf->path = strdup(path);
	if (!dwarf->path)
		return -ENOMEM;
	int err = xp_dwarf_image_open(path, false, &dwarf->main);
	if (err)
		return err;
	dwarf->alt = xp_dwarf_alt_open(&dwarf->main, path);
	err = find_units(dwarf) ?: reset_shortage(dwarf);
	return err || dwarf->nr_ranges ? err : -ENODATA;
}

int xp_dwarf_open(const char *path, struct xp_dwarf **ret_dwarf)
{
	struct xp_dwarf *dwarf = calloc(1, sizeof(*dwarf));

	if (!dwarf)
		return -ENOMEM;
	int err = begin(dwarf, path);
	if (err)
		xp_dwarf_close(dwarf);
	else
		*ret_dwarf = dwarf;
	return err;
}

void xp_dwarf_close(struct xp_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->nr_units; i++)
		free_tables(dwarf->units[i].tables);
	free(dwarf->units);
	free(dwarf->ranges);
	xp_split_package_fini(&dwarf->package);
	if (dwarf->alt)
		xp_dwarf_image_close(dwarf->alt);
	free(dwarf->alt);
	xp_dwarf_image_close(&dwarf->main);
	free(dwarf->path);
	free(dwarf);
}

/* --- addresses --- */

static void set_file(const struct tables *tables, uint64_t number, struct xp_dwarf_frame *frame)
{
	const struct line_file *file = xp_lines_file(&tables->line_table, number);

	if (!file)
		return;
	frame->file = file->name;
	frame->dir = file->dir;
	frame->unit_dir = tables->dir;
}

/* Fills frames from the innermost function outwards. Returns how many there are. */
static int add_frames(const struct tables *tables, uint64_t address, uint32_t innermost,
		      struct xp_dwarf_frame frames[XP_DWARF_FRAMES])
{
	const struct line_row *row = xp_lines_find(&tables->line_table, address);
	int nr = 0;

	frames[0] = (struct xp_dwarf_frame){ .line = row ? row->line : 0 };
	if (row)
		set_file(tables, row->file, &frames[0]);
	for (uint32_t i = innermost; i != INLINE_NONE && nr < XP_DWARF_FRAMES;) {
		const struct inline_entry *entry = &tables->inline_table.entries[i];

		frames[nr].name =
			xp_die_function_name(&tables->dies, entry->die, &frames[nr].start_line);
		nr++;
		i = entry->parent;
		if (i == INLINE_NONE || nr == XP_DWARF_FRAMES)
			break;
		frames[nr] = (struct xp_dwarf_frame){ .line = entry->call_line };
		set_file(tables, entry->call_file, &frames[nr]);
	}
	return nr || !frames[0].file ? nr : 1;
}

/* The last range that begins at or before an address, plus 1. */
static size_t search(const struct xp_dwarf *dwarf, uint64_t address)
{
	return SEARCH_UP_TO(address, dwarf->ranges, dwarf->nr_ranges, start);
}

/* Of units that have an address, the first that knows a function there, from the narrowest range
 * outwards; else one that knows a line. */
static int find(struct xp_dwarf *dwarf, uint64_t address,
		struct xp_dwarf_frame frames[XP_DWARF_FRAMES])
{
	enum { MAX_STEPS = 4096 };
	const struct tables *lined = NULL;
	int steps = 0;

	for (size_t i = search(dwarf, address);
	     i-- > 0 && dwarf->ranges[i].reach > address && steps++ < MAX_STEPS;) {
		if (dwarf->ranges[i].end <= address)
			continue;
		const struct tables *tables =
			tables_of(dwarf, &dwarf->units[dwarf->ranges[i].owner]);
		if (!tables)
			return 0;
		uint32_t innermost = xp_inlines_find(&tables->inline_table, address);
		if (innermost != INLINE_NONE)
			return add_frames(tables, address, innermost, frames);
		if (!lined && xp_lines_find(&tables->line_table, address))
			lined = tables;
	}
	return lined ? add_frames(lined, address, INLINE_NONE, frames) : 0;
}

int xp_dwarf_find(struct xp_dwarf *dwarf, uint64_t address,
		  struct xp_dwarf_frame frames[XP_DWARF_FRAMES])
{
	int nr = find(dwarf, address, frames);

	return reset_shortage(dwarf) ?: nr;
}
