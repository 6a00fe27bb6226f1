/* SPDX-License-Identifier: MIT */
/* The addresses that a DIE has: from one to another, or a list of such. */
#include <errno.h>

#include "constants.h"
#include "die.h"
#include "vec.h"

/* Reads a list of ranges, which does not say how long it is. */
struct list {
	struct image *image;
	enum dwarf_section section;
	uint64_t at;
	struct cursor c;
	const uint8_t *from;
};

/* Makes sure that there is a whole entry to read. Returns false: the list has no end. */
static bool list_next(struct list *list)
{
	enum { ENTRY = 32, SOME = 4096 };

	if (list->from && cursor_left(&list->c) >= ENTRY)
		return true;
	if (list->from)
		list->at += (uint64_t)(list->c.at - list->from);
	if (!xp_dwarf_read(list->image, list->section, list->at, SOME, &list->c))
		return false;
	list->from = list->c.at;
	return true;
}

static int add_code(const struct die_unit *unit, uint64_t start, uint64_t end, struct codes *codes)
{
	bool is_module = xp_elf_facts(unit->addresses->elf).is_relocatable;

	/* What the linker has thrown away is left at 0, or the highest address. */
	if ((!start && !is_module) || start >= end || end > UINT64_MAX - 2)
		return 0;
	if (vec_reserve(&codes->at, codes->nr, &codes->room, sizeof(*codes->at)))
		return -ENOMEM;
	codes->at[codes->nr++] = (struct code){ start, end };
	return 0;
}

/* The linker has marked that what counts from it is thrown away. */
static bool is_gone(const struct die_unit *unit, uint64_t base)
{
	return base >= (unit->address_size == 8 ? UINT64_MAX : UINT32_MAX) - 1;
}

/* Each entry counts, also one that is nothing: the list may be one that many DIEs have. Source:
 * DWARF 4, 2.17.3 "Non-Contiguous Address Ranges". */
static int add_ranges(const struct die_unit *unit, uint64_t offset, struct codes *codes)
{
	uint64_t select = unit->address_size == 8 ? UINT64_MAX : UINT32_MAX, base = unit->low_pc;
	struct list list = { .image = unit->addresses, .section = DWARF_RANGES, .at = offset };
	int err = 0;

	for (; !err && unit->image->left && list_next(&list); unit->image->left--) {
		uint64_t start = cursor_fixed(&list.c, unit->address_size);
		uint64_t end = cursor_fixed(&list.c, unit->address_size);

		if (list.c.failed || (!start && !end))
			break;
		if (start == select)
			base = end;
		else if (!is_gone(unit, base))
			err = add_code(unit, base + start, base + end, codes);
	}
	return err;
}

/* One entry. Returns 1: it was the last; 0, -ENOMEM. Source: DWARF 5, 7.25. */
static int add_list_entry(const struct die_unit *unit, struct cursor *c, uint64_t *base,
			  struct codes *codes)
{
	unsigned int kind = cursor_u8(c);
	uint64_t start = 0, end = 0;

	switch (kind) {
	case DW_RLE_base_addressx:
		return xp_die_address_at(unit, cursor_uleb(c), base) ? 0 : 1;
	case DW_RLE_base_address:
		*base = cursor_fixed(c, unit->address_size);
		return 0;
	case DW_RLE_startx_endx:
		if (!xp_die_address_at(unit, cursor_uleb(c), &start) ||
		    !xp_die_address_at(unit, cursor_uleb(c), &end))
			return 1;
		break;
	case DW_RLE_startx_length:
		if (!xp_die_address_at(unit, cursor_uleb(c), &start))
			return 1;
		end = start + cursor_uleb(c);
		break;
	case DW_RLE_offset_pair:
		start = cursor_uleb(c);
		end = cursor_uleb(c);
		if (is_gone(unit, *base))
			return 0;
		start += *base;
		end += *base;
		break;
	case DW_RLE_start_end:
		start = cursor_fixed(c, unit->address_size);
		end = cursor_fixed(c, unit->address_size);
		break;
	case DW_RLE_start_length:
		start = cursor_fixed(c, unit->address_size);
		end = start + cursor_uleb(c);
		break;
	default:
		return 1;
	}
	return c->failed ? 1 : add_code(unit, start, end, codes);
}

static int add_list(const struct die_unit *unit, const struct value *value, struct codes *codes)
{
	struct list list = { .image = unit->image, .section = DWARF_RNGLISTS, .at = value->number };
	uint64_t base = unit->low_pc;
	int err = 0;

	if (value->form == DW_FORM_rnglistx) {
		if (!xp_die_entry(unit->image, DWARF_RNGLISTS, unit->rnglists_base, value->number,
				  unit->offset_size, &list.at))
			return 0;
		list.at += unit->rnglists_base;
	}
	for (; !err && unit->image->left && list_next(&list); unit->image->left--)
		err = add_list_entry(unit, &list.c, &base, codes);
	return err < 0 ? err : 0;
}

int xp_die_codes(const struct die_unit *unit, const struct value values[DIE_NR_ATTRS],
		 struct codes *codes)
{
	const struct value *ranges = &values[DIE_RANGES];
	uint64_t start, end;
	int err = 0;

	if (ranges->form && unit->version >= 5)
		err = add_list(unit, ranges, codes);
	else if (ranges->form)
		err = add_ranges(unit, ranges->number + (unit->is_split ? unit->ranges_base : 0),
				 codes);
	else if (unit->image->left && xp_die_address(unit, &values[DIE_LOW_PC], &start)) {
		unit->image->left--;
		if (xp_die_number(&values[DIE_HIGH_PC], &end))
			end += start;
		else if (!xp_die_address(unit, &values[DIE_HIGH_PC], &end))
			return 0;
		err = add_code(unit, start, end, codes);
	}
	return err;
}
