/* SPDX-License-Identifier: MIT */
/*
 * The functions of a unit, and what is inlined in them, as a table: from an address to the
 * innermost of them. It is made in one pass over the unit's DIEs.
 */
#ifndef DWARF_INLINES_H
#define DWARF_INLINES_H

#include "die.h"

#define INLINE_NONE UINT32_MAX

/* @parent: what it is inlined in; INLINE_NONE: it is a function itself
 * @call_file, @call_line: where it was called; 0: not known */
struct inline_entry {
	uint64_t die;
	uint32_t parent, call_file, call_line;
	uint32_t unused;
};

/* From here on, up to the next one. @entry: INLINE_NONE: no function is here */
struct inline_segment {
	uint64_t start;
	uint32_t entry, unused;
};

struct inline_table {
	struct inline_entry *entries;
	size_t nr_entries, room_entries;
	struct inline_segment *segments;
	size_t nr_segments, room_segments;
};

/* @unit: its abbreviations are loaded. Returns 0, -ENOMEM;
 * of damaged units, what comes before the damage is there. */
int xp_inlines_read(const struct die_unit *unit, struct inline_table *ret_table);
void xp_inline_table_fini(struct inline_table *table);

/* The innermost one; INLINE_NONE: no function is there. */
uint32_t xp_inlines_find(const struct inline_table *table, uint64_t address);

#endif
