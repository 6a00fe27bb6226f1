/* SPDX-License-Identifier: MIT */
/* Units of debug information, and the values of their DIEs' attributes. */
#ifndef DWARF_DIE_H
#define DWARF_DIE_H

#include "abbrev.h"

/*
 * A unit. What a unit of split DWARF lacks is its skeleton's: @addresses is where addresses are
 * looked up, and ranges of DWARF 4.
 * @offset, @dies, @end: of its header, of its first DIE, behind it
 * @abbrev_at: where its abbreviations are
 * @id: of split DWARF
 */
struct die_unit {
	struct image *image, *addresses, *alt;
	uint64_t offset, dies, end;
	uint64_t abbrev_at;
	uint64_t id;
	uint64_t low_pc, addr_base, str_offsets_base, rnglists_base, ranges_base;
	const struct abbrevs *abbrevs;
	uint8_t version, address_size, offset_size, type;
	bool is_split;
};

/* @form: 0: there is none. @number: or where in its section a text of DW_FORM_string is */
struct value {
	const char *text;
	uint64_t number;
	uint16_t form;
};

/* The attributes that are read. */
enum die_attr {
	DIE_NONE,
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_RANGES,
	DIE_ORIGIN, /* what the rest of it is in */
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECL_LINE,
	DIE_STMT_LIST,
	DIE_COMP_DIR,
	DIE_STR_OFFSETS_BASE,
	DIE_ADDR_BASE,
	DIE_RNGLISTS_BASE,
	DIE_RANGES_BASE,
	DIE_DWO_NAME,
	DIE_DWO_ID,
	DIE_NR_ATTRS,
};

/* Reads the header of the unit at an offset. Returns false: there is none, or it is damaged. */
bool xp_die_unit_at(struct image *image, uint64_t offset, struct die_unit *ret_unit);
/* Finds the unit that a DIE is in. Returns false: in none. */
bool xp_die_unit_of(struct image *image, uint64_t die, struct die_unit *ret_unit);
/* Reads the first DIE of a unit, and learns its bases, which those of @skeleton precede; NULL:
 * there is none. Returns false: it is damaged. */
bool xp_die_unit_top(struct die_unit *unit, const struct die_unit *skeleton,
		     struct value values[DIE_NR_ATTRS]);
/* Loads all abbreviations of a unit. Returns false: damaged, or no memory. */
bool xp_die_unit_load(struct die_unit *unit);

/* Reads the attributes of a DIE, behind its code. */
void xp_die_values(const struct die_unit *unit, const struct abbrev *abbrev, struct cursor *c,
		   struct value values[DIE_NR_ATTRS]);
/* Reads one value. */
void xp_die_value(const struct die_unit *unit, uint64_t form, struct cursor *c,
		  struct value *ret_value);
/* What one is; NULL, false: it is not of that kind, or damaged. */
const char *xp_die_text(const struct die_unit *unit, const struct value *value);
bool xp_die_address(const struct die_unit *unit, const struct value *value, uint64_t *ret_address);
bool xp_die_number(const struct value *value, uint64_t *ret_number);
/* An entry of a table of numbers of @size bytes, such as .debug_addr; of the unit's addresses. */
bool xp_die_entry(struct image *image, enum dwarf_section section, uint64_t base, uint64_t index,
		  unsigned int size, uint64_t *ret);
bool xp_die_address_at(const struct die_unit *unit, uint64_t index, uint64_t *ret_address);

/* The name of a function as the linker has it, or as it is in the source; NULL: not known. @die:
 * offset of its DIE; *ret_line: where the source has it; 0: not known */
const char *xp_die_function_name(const struct die_unit *unit, uint64_t die, uint32_t *ret_line);

/* Addresses from the first to the one behind the last. */
struct code {
	uint64_t start, end;
};

struct codes {
	struct code *at;
	size_t nr, room;
};

/* codes.c: adds the addresses of a DIE. Returns 0 or -ENOMEM. */
int xp_die_codes(const struct die_unit *unit, const struct value values[DIE_NR_ATTRS],
		 struct codes *codes);

#endif
