/* SPDX-License-Identifier: MIT */
/*
 * Most DIEs are of types and variables: their bytes are passed over. Of a function, and of one that
 * is inlined, the addresses are collected; then a sweep over them in their order leaves, of those
 * that cover an address, the one that began last.
 *
 * Source: DWARF 5, 2.3 "Relationship of Debugging Information Entries", 3.3.8 "Inlined
 * Subroutines".
 */
#include "inlines.h"

#include <errno.h>
#include <stdlib.h>

#include "constants.h"
#include "range.h"
#include "search.h"
#include "vec.h"

struct reading {
	const struct die_unit *unit;
	struct inline_table *table;
	struct codes codes;   /* of one DIE */
	struct range *ranges; /* of entries, by their numbers */
	size_t nr_ranges, room_ranges;
	uint32_t *around; /* per level: the entry that it is in */
	size_t room_around;
};

static int add_ranges(struct reading *reading, uint32_t entry)
{
	const struct codes *codes = &reading->codes;

	if (vec_reserve_more(&reading->ranges, reading->nr_ranges, codes->nr, &reading->room_ranges,
			     sizeof(*reading->ranges)))
		return -ENOMEM;
	for (size_t i = 0; i < codes->nr; i++)
		reading->ranges[reading->nr_ranges++] = (struct range){ .start = codes->at[i].start,
									.end = codes->at[i].end,
									.owner = entry };
	return 0;
}

static uint32_t number_of(const struct value *value)
{
	uint64_t number;

	return xp_die_number(value, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Adds a function; @around: what it is in. Returns 0 with what its children are in, or -ENOMEM. */
static int add_entry(struct reading *reading, const struct abbrev *abbrev, uint64_t die,
		     struct cursor *c, uint32_t around, uint32_t *ret_inside)
{
	struct inline_table *table = reading->table;
	bool is_inlined = abbrev->tag == DW_TAG_inlined_subroutine;
	struct value values[DIE_NR_ATTRS];

	*ret_inside = is_inlined ? around : INLINE_NONE;
	xp_die_values(reading->unit, abbrev, c, values);
	reading->codes.nr = 0;
	if (c->failed)
		return 0;
	int err = xp_die_codes(reading->unit, values, &reading->codes);
	if (err || !reading->codes.nr)
		return err;
	if (table->nr_entries >= INLINE_NONE ||
	    vec_reserve(&table->entries, table->nr_entries, &table->room_entries,
			sizeof(*table->entries)))
		return -ENOMEM;
	*ret_inside = (uint32_t)table->nr_entries;
	table->entries[table->nr_entries++] = (struct inline_entry){
		.die = die,
		.parent = is_inlined ? around : INLINE_NONE,
		.call_file = number_of(&values[DIE_CALL_FILE]),
		.call_line = number_of(&values[DIE_CALL_LINE]),
	};
	return add_ranges(reading, *ret_inside);
}

/* Goes through all DIEs of the unit. Returns 0 or -ENOMEM. */
static int read_dies(struct reading *reading, struct cursor *c)
{
	const struct die_unit *unit = reading->unit;
	const uint8_t *begin = c->at;
	uint32_t around = INLINE_NONE;
	size_t level = 0;
	int err = 0;

	while (!err && c->at < c->end && !c->failed) {
		uint64_t die = unit->dies + (uint64_t)(c->at - begin);
		uint64_t code = cursor_uleb(c);
		uint32_t inside = around;

		if (!code) {
			if (level)
				around = reading->around[--level];
			continue;
		}
		const struct abbrev *abbrev = abbrev_find(unit->abbrevs, code);
		if (!abbrev)
			return 0;
		if (abbrev->tag == DW_TAG_subprogram || abbrev->tag == DW_TAG_inlined_subroutine)
			err = add_entry(reading, abbrev, die, c, around, &inside);
		else
			abbrev_skip(unit->abbrevs, abbrev, c);
		if (!abbrev->has_children || err)
			continue;
		if (vec_reserve(&reading->around, level, &reading->room_around,
				sizeof(*reading->around)))
			return -ENOMEM;
		reading->around[level++] = around;
		around = inside;
	}
	return err;
}

static int add_segment(struct inline_table *table, uint64_t start, uint32_t entry)
{
	struct inline_segment *last =
		table->nr_segments ? &table->segments[table->nr_segments - 1] : NULL;

	if (last && last->start == start) {
		last->entry = entry;
		return 0;
	}
	if (vec_reserve(&table->segments, table->nr_segments, &table->room_segments,
			sizeof(*table->segments)))
		return -ENOMEM;
	table->segments[table->nr_segments++] =
		(struct inline_segment){ .start = start, .entry = entry };
	return 0;
}

/* Ranges that have begun and are not over, each in the one below it. */
struct open_ranges {
	const struct range **at;
	size_t nr, room;
};

/* Ends those that are over at an address. */
static int close_ranges(struct inline_table *table, struct open_ranges *open, uint64_t address)
{
	int err = 0;

	while (!err && open->nr && open->at[open->nr - 1]->end <= address) {
		uint64_t end = open->at[--open->nr]->end;

		while (open->nr && open->at[open->nr - 1]->end <= end)
			open->nr--;
		err = add_segment(table, end,
				  open->nr ? open->at[open->nr - 1]->owner : INLINE_NONE);
	}
	return err;
}

static int sweep(const struct reading *reading, struct inline_table *table)
{
	struct open_ranges open = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < reading->nr_ranges; i++) {
		const struct range *range = &reading->ranges[i];

		err = close_ranges(table, &open, range->start)
			      ?: vec_reserve(&open.at, open.nr, &open.room,
					     sizeof(const struct range *));
		if (err)
			break;
		open.at[open.nr++] = range;
		err = add_segment(table, range->start, range->owner);
	}
	if (!err)
		err = close_ranges(table, &open, UINT64_MAX);
	free(open.at);
	return err;
}

int xp_inlines_read(const struct die_unit *unit, struct inline_table *ret_table)
{
	struct inline_table table = { 0 };
	struct reading reading = { .unit = unit, .table = &table };
	struct cursor c;
	int err = 0;

	if (xp_dwarf_read(unit->image, DWARF_INFO, unit->dies, unit->end - unit->dies, &c))
		err = read_dies(&reading, &c);
	range_sort(reading.ranges, reading.nr_ranges);
	if (!err)
		err = sweep(&reading, &table);
	free(reading.ranges);
	free(reading.around);
	free(reading.codes.at);
	if (err)
		xp_inline_table_fini(&table);
	else
		*ret_table = table;
	return err;
}

void xp_inline_table_fini(struct inline_table *table)
{
	free(table->entries);
	free(table->segments);
	*table = (struct inline_table){ 0 };
}

uint32_t xp_inlines_find(const struct inline_table *table, uint64_t address)
{
	size_t nr = SEARCH_UP_TO(address, table->segments, table->nr_segments, start);

	return nr ? table->segments[nr - 1].entry : INLINE_NONE;
}
