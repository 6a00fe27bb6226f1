/* SPDX-License-Identifier: MIT */
/*
 * Source: DWARF 5, 7.5 "Format of Debugging Information", 3.1.3 and 3.1.4 for what a split unit
 * has from its skeleton; for DWARF 4 the GNU extension "Fission".
 */
#include "die.h"

#include <errno.h>
#include <stdlib.h>

#include "constants.h"
#include "search.h"
#include "vec.h"

enum { ENOUGH_FOR_HEADER = 64, ENOUGH_FOR_DIE = 512 };

/* --- units --- */

/* The header of a unit of DWARF 5 says which kind it is of. */
static void read_kind(struct cursor *c, struct die_unit *unit)
{
	unit->type = cursor_u8(c);
	unit->address_size = cursor_u8(c);
	unit->abbrev_at = cursor_fixed(c, unit->offset_size);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->id = cursor_u64(c);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		cursor_u64(c);
		cursor_fixed(c, unit->offset_size);
	}
}

bool xp_die_unit_at(struct image *image, uint64_t offset, struct die_unit *ret_unit)
{
	struct die_unit unit = { .image = image, .addresses = image, .offset = offset };
	uint64_t info_len = xp_dwarf_section_len(image, DWARF_INFO);
	struct cursor c;

	if (!xp_dwarf_read(image, DWARF_INFO, offset, ENOUGH_FOR_HEADER, &c))
		return false;
	const uint8_t *begin = c.at;
	uint64_t len = cursor_length(&c, &unit.offset_size);
	uint64_t behind = offset + (uint64_t)(c.at - begin);

	if (c.failed || !len || len > info_len - behind)
		return false;
	unit.end = behind + len;
	unit.version = cursor_u16(&c) & UINT8_MAX;
	unit.type = DW_UT_compile;
	if (unit.version >= 5) {
		read_kind(&c, &unit);
	} else {
		unit.abbrev_at = cursor_fixed(&c, unit.offset_size);
		unit.address_size = cursor_u8(&c);
	}
	unit.dies = offset + (uint64_t)(c.at - begin);
	unit.is_split = image->is_split;
	/* One of an unknown version can be passed over. */
	if (unit.version < 2 || unit.version > 5 || c.failed || unit.dies > unit.end ||
	    (unit.address_size != 4 && unit.address_size != 8))
		unit.version = 0;
	*ret_unit = unit;
	return true;
}

/* Where all units begin. */
static void find_units(struct image *image)
{
	struct die_unit unit;

	for (uint64_t at = 0; xp_die_unit_at(image, at, &unit); at = unit.end) {
		if (vec_add(&image->units, image->nr_units, sizeof(*image->units))) {
			image_note(image, -ENOMEM);
			image->nr_units = 0;
			return;
		}
		image->units[image->nr_units++] = at;
	}
}

bool xp_die_unit_of(struct image *image, uint64_t die, struct die_unit *ret_unit)
{
	if (!image->nr_units)
		find_units(image);
	size_t nr = search_up_to(die, image->units, image->nr_units, sizeof(*image->units), 0);
	return nr && xp_die_unit_at(image, image->units[nr - 1], ret_unit) && ret_unit->version &&
	       die >= ret_unit->dies && die < ret_unit->end;
}

static struct abbrevs sizes_of(const struct die_unit *unit)
{
	return (struct abbrevs){ .offset = unit->abbrev_at,
				 .version = unit->version,
				 .address_size = unit->address_size,
				 .offset_size = unit->offset_size };
}

bool xp_die_unit_load(struct die_unit *unit)
{
	struct abbrevs sizes = sizes_of(unit);

	if (!unit->abbrevs)
		unit->abbrevs = xp_abbrevs_at(unit->image, &sizes);
	return unit->abbrevs;
}

/* --- attributes --- */

static const uint8_t known_attrs[] = {
	[DW_AT_name] = DIE_NAME,
	[DW_AT_stmt_list] = DIE_STMT_LIST,
	[DW_AT_low_pc] = DIE_LOW_PC,
	[DW_AT_high_pc] = DIE_HIGH_PC,
	[DW_AT_comp_dir] = DIE_COMP_DIR,
	[DW_AT_abstract_origin] = DIE_ORIGIN,
	[DW_AT_decl_line] = DIE_DECL_LINE,
	[DW_AT_specification] = DIE_ORIGIN,
	[DW_AT_ranges] = DIE_RANGES,
	[DW_AT_call_file] = DIE_CALL_FILE,
	[DW_AT_call_line] = DIE_CALL_LINE,
	[DW_AT_linkage_name] = DIE_LINKAGE_NAME,
	[DW_AT_str_offsets_base] = DIE_STR_OFFSETS_BASE,
	[DW_AT_addr_base] = DIE_ADDR_BASE,
	[DW_AT_rnglists_base] = DIE_RNGLISTS_BASE,
	[DW_AT_dwo_name] = DIE_DWO_NAME,
};

static enum die_attr known_attr(unsigned int name)
{
	enum { NR = sizeof(known_attrs) / sizeof(known_attrs[0]) };
	static const struct {
		uint16_t name, attr;
	} others[] = {
		{ DW_AT_MIPS_linkage_name, DIE_LINKAGE_NAME },
		{ DW_AT_GNU_dwo_name, DIE_DWO_NAME },
		{ DW_AT_GNU_dwo_id, DIE_DWO_ID },
		{ DW_AT_GNU_ranges_base, DIE_RANGES_BASE },
		{ DW_AT_GNU_addr_base, DIE_ADDR_BASE },
	};

	if (name < NR)
		return (enum die_attr)known_attrs[name];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].name == name)
			return (enum die_attr)others[i].attr;
	return DIE_NONE;
}

/* An attribute of a form that no abbreviation has. */
static struct abbrev_attr attr_of(const struct die_unit *unit, uint64_t form)
{
	struct abbrev_attr attr = { .form = form > UINT16_MAX ? 0 : (uint16_t)form };
	uint32_t bytes;

	attr.kind = (uint8_t)xp_form_kind(attr.form, unit->version, unit->address_size,
					  unit->offset_size, &bytes);
	attr.bytes = (uint8_t)bytes;
	return attr;
}

static void read_value(const struct abbrev_attr *attr, struct cursor *c, struct value *value)
{
	*value = (struct value){ .form = attr->form };
	if (attr->form == DW_FORM_implicit_const)
		value->number = (uint64_t)attr->constant;
	else if (attr->kind == FORM_FIXED)
		value->number = cursor_fixed(c, attr->bytes);
	else if (attr->form == DW_FORM_sdata)
		value->number = (uint64_t)cursor_sleb(c);
	else if (attr->kind == FORM_ULEB)
		value->number = cursor_uleb(c);
	else if (attr->kind == FORM_TEXT)
		value->text = cursor_text(c);
	else if (attr->kind == FORM_INDIRECT)
		c->failed = true;
	else
		xp_form_skip(c, (enum form_kind)attr->kind);
}

void xp_die_value(const struct die_unit *unit, uint64_t form, struct cursor *c,
		  struct value *ret_value)
{
	const struct abbrev_attr attr =
		attr_of(unit, form == DW_FORM_indirect ? cursor_uleb(c) : form);

	read_value(&attr, c, ret_value);
}

/* What passes over a run of attributes that are of no interest is not used here: most are. */
void xp_die_values(const struct die_unit *unit, const struct abbrev *abbrev, struct cursor *c,
		   struct value values[DIE_NR_ATTRS])
{
	memset(values, 0, DIE_NR_ATTRS * sizeof(*values));
	for (uint32_t i = 0; i < abbrev->nr_attrs && !c->failed; i++) {
		const struct abbrev_attr *attr = &unit->abbrevs->attrs[abbrev->attrs + i];
		struct value *value = &values[known_attr(attr->name)];

		if (attr->form == DW_FORM_indirect)
			xp_die_value(unit, attr->form, c, value);
		else
			read_value(attr, c, value);
	}
}

/* --- values --- */

static bool is_one_of(unsigned int form, const uint16_t *forms, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (forms[i] == form)
			return true;
	return false;
}

#define IS_ONE_OF(form, ...)                                                                       \
	is_one_of(form, (const uint16_t[]){ __VA_ARGS__ },                                         \
		  sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t))

bool xp_die_entry(struct image *image, enum dwarf_section section, uint64_t base, uint64_t index,
		  unsigned int size, uint64_t *ret)
{
	struct cursor c;
	uint64_t at;

	if (__builtin_mul_overflow(index, size, &at) || __builtin_add_overflow(at, base, &at) ||
	    !xp_dwarf_read(image, section, at, size, &c))
		return false;
	*ret = cursor_fixed(&c, size);
	return !c.failed;
}

const char *xp_die_text(const struct die_unit *unit, const struct value *value)
{
	uint64_t at;

	switch (value->form) {
	case DW_FORM_string:
		return value->text;
	case DW_FORM_strp:
		return xp_dwarf_text(unit->image, DWARF_STR, value->number);
	case DW_FORM_line_strp:
		return xp_dwarf_text(unit->image, DWARF_LINE_STR, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return unit->alt ? xp_dwarf_text(unit->alt, DWARF_STR, value->number) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return xp_die_entry(unit->image, DWARF_STR_OFFSETS, unit->str_offsets_base,
				    value->number, unit->offset_size, &at)
			       ? xp_dwarf_text(unit->image, DWARF_STR, at)
			       : NULL;
	default:
		return NULL;
	}
}

bool xp_die_address_at(const struct die_unit *unit, uint64_t index, uint64_t *ret_address)
{
	return xp_die_entry(unit->addresses, DWARF_ADDR, unit->addr_base, index, unit->address_size,
			    ret_address);
}

bool xp_die_address(const struct die_unit *unit, const struct value *value, uint64_t *ret_address)
{
	if (value->form == DW_FORM_addr) {
		*ret_address = value->number;
		return true;
	}
	return IS_ONE_OF(value->form, DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3,
			 DW_FORM_addrx4, DW_FORM_GNU_addr_index) &&
	       xp_die_address_at(unit, value->number, ret_address);
}

bool xp_die_number(const struct value *value, uint64_t *ret_number)
{
	*ret_number = value->number;
	return IS_ONE_OF(value->form, DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8,
			 DW_FORM_udata, DW_FORM_sdata, DW_FORM_implicit_const, DW_FORM_sec_offset);
}

/* --- bases --- */

/* The header of a table of .debug_str_offsets or .debug_rnglists, where nothing says how long it
 * is. */
static uint64_t table_head(const struct die_unit *unit, bool is_ranges)
{
	uint64_t len = unit->offset_size == 8 ? 12 : 4;

	if (unit->version < 5)
		return 0;
	return len + (is_ranges ? 8 : 4); /* version, padding; or sizes, and how many there are */
}

static void set_bases(struct die_unit *unit, const struct die_unit *skeleton,
		      const struct value values[DIE_NR_ATTRS])
{
	/* Of a split unit: where its part of the sections of a .dwp file begins. */
	unit->str_offsets_base += table_head(unit, false);
	unit->rnglists_base += table_head(unit, true);
	if (skeleton) {
		unit->addresses = skeleton->image;
		unit->low_pc = skeleton->low_pc;
		unit->addr_base = skeleton->addr_base;
		unit->ranges_base = skeleton->ranges_base;
	}
	if (values[DIE_STR_OFFSETS_BASE].form)
		unit->str_offsets_base = values[DIE_STR_OFFSETS_BASE].number;
	if (values[DIE_RNGLISTS_BASE].form)
		unit->rnglists_base = values[DIE_RNGLISTS_BASE].number;
	if (values[DIE_ADDR_BASE].form)
		unit->addr_base = values[DIE_ADDR_BASE].number;
	if (values[DIE_RANGES_BASE].form)
		unit->ranges_base = values[DIE_RANGES_BASE].number;
	if (values[DIE_LOW_PC].form)
		xp_die_address(unit, &values[DIE_LOW_PC], &unit->low_pc);
	if (values[DIE_DWO_ID].form)
		unit->id = values[DIE_DWO_ID].number;
}

/* Reads a DIE of a unit. @len: bytes that are enough for most */
static bool read_die(const struct die_unit *unit, uint64_t die, uint64_t len,
		     struct value values[DIE_NR_ATTRS], const struct abbrev **ret_abbrev)
{
	struct cursor c;

	len = len < unit->end - die ? len : unit->end - die;
	if (!xp_dwarf_read(unit->image, DWARF_INFO, die, len, &c))
		return false;
	*ret_abbrev = abbrev_find(unit->abbrevs, cursor_uleb(&c));
	if (!*ret_abbrev)
		return false;
	xp_die_values(unit, *ret_abbrev, &c, values);
	return !c.failed;
}

static bool read_any_die(const struct die_unit *unit, uint64_t die,
			 struct value values[DIE_NR_ATTRS], const struct abbrev **ret_abbrev)
{
	return die < unit->end && (read_die(unit, die, ENOUGH_FOR_DIE, values, ret_abbrev) ||
				   read_die(unit, die, UINT64_MAX, values, ret_abbrev));
}

bool xp_die_unit_top(struct die_unit *unit, const struct die_unit *skeleton,
		     struct value values[DIE_NR_ATTRS])
{
	const struct abbrev *abbrev;
	struct abbrevs *first = NULL, sizes = sizes_of(unit);
	struct cursor c;

	/* Of its abbreviations, one is enough. */
	if (!unit->abbrevs) {
		if (!xp_dwarf_read(unit->image, DWARF_INFO, unit->dies, 16, &c))
			return false;
		first = xp_abbrevs_one(unit->image, &sizes, cursor_uleb(&c));
		if (!first)
			return false;
		unit->abbrevs = first;
	}
	bool is_read = read_any_die(unit, unit->dies, values, &abbrev);
	if (is_read)
		set_bases(unit, skeleton, values);
	if (first) {
		xp_abbrevs_free(first);
		unit->abbrevs = NULL;
	}
	return is_read;
}

/* --- names --- */

/* Where a reference leads to. Returns false: to nothing that is read. */
static bool follow(struct die_unit *unit, const struct value *value, uint64_t *die)
{
	uint64_t at = value->number;

	if (IS_ONE_OF(value->form, DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8,
		      DW_FORM_ref_udata)) {
		*die = unit->offset + at;
		return at < unit->end - unit->offset;
	}
	bool is_alt =
		IS_ONE_OF(value->form, DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8);
	struct image *image = is_alt ? unit->alt : unit->image;
	struct die_unit other;

	if ((!is_alt && value->form != DW_FORM_ref_addr) || !image ||
	    !xp_die_unit_of(image, at, &other))
		return false;
	*die = at;
	if (other.image == unit->image && other.offset == unit->offset)
		return true;
	/* In its unit, texts may be at other offsets. */
	struct value top[DIE_NR_ATTRS];
	other.alt = is_alt ? NULL : unit->alt;
	if (!xp_die_unit_load(&other) || !xp_die_unit_top(&other, NULL, top))
		return false;
	*unit = other;
	return true;
}

const char *xp_die_function_name(const struct die_unit *unit, uint64_t die, uint32_t *ret_line)
{
	enum { MAX_STEPS = 16 };
	struct die_unit at = *unit;
	const char *linkage = NULL, *name = NULL;
	uint64_t line;

	*ret_line = 0;
	for (int i = 0; i < MAX_STEPS && !(linkage && *ret_line); i++) {
		struct value values[DIE_NR_ATTRS];
		const struct abbrev *abbrev;

		if (!read_any_die(&at, die, values, &abbrev))
			break;
		/* That of the definition, which comes before that of a declaration. */
		if (!*ret_line && xp_die_number(&values[DIE_DECL_LINE], &line) &&
		    line <= UINT32_MAX)
			*ret_line = (uint32_t)line;
		linkage = linkage ? linkage : xp_die_text(&at, &values[DIE_LINKAGE_NAME]);
		name = name ? name : xp_die_text(&at, &values[DIE_NAME]);
		if (!values[DIE_ORIGIN].form || !follow(&at, &values[DIE_ORIGIN], &die))
			break;
	}
	return linkage ? linkage : name;
}
