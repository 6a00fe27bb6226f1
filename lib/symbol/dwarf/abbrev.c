/* SPDX-License-Identifier: MIT */
/*
 * Source: DWARF 5, 7.5.3 "Abbreviations Tables", 7.5.6 "Form Encodings"; the GNU forms of split
 * DWARF and of dwz are those of elfutils' dwarf.h.
 */
#include "abbrev.h"

#include <errno.h>
#include <stdlib.h>

#include "constants.h"
#include "search.h"
#include "vec.h"

enum { OF_ADDRESS = 250, OF_OFFSET, OF_REFERENCE };

static const struct form {
	uint8_t kind, bytes;
} forms[] = {
	[DW_FORM_addr] = { FORM_FIXED, OF_ADDRESS },
	[DW_FORM_block2] = { FORM_BLOCK2, 0 },
	[DW_FORM_block4] = { FORM_BLOCK4, 0 },
	[DW_FORM_data2] = { FORM_FIXED, 2 },
	[DW_FORM_data4] = { FORM_FIXED, 4 },
	[DW_FORM_data8] = { FORM_FIXED, 8 },
	[DW_FORM_string] = { FORM_TEXT, 0 },
	[DW_FORM_block] = { FORM_BLOCK, 0 },
	[DW_FORM_block1] = { FORM_BLOCK1, 0 },
	[DW_FORM_data1] = { FORM_FIXED, 1 },
	[DW_FORM_flag] = { FORM_FIXED, 1 },
	[DW_FORM_sdata] = { FORM_ULEB, 0 },
	[DW_FORM_strp] = { FORM_FIXED, OF_OFFSET },
	[DW_FORM_udata] = { FORM_ULEB, 0 },
	[DW_FORM_ref_addr] = { FORM_FIXED, OF_REFERENCE },
	[DW_FORM_ref1] = { FORM_FIXED, 1 },
	[DW_FORM_ref2] = { FORM_FIXED, 2 },
	[DW_FORM_ref4] = { FORM_FIXED, 4 },
	[DW_FORM_ref8] = { FORM_FIXED, 8 },
	[DW_FORM_ref_udata] = { FORM_ULEB, 0 },
	[DW_FORM_indirect] = { FORM_INDIRECT, 0 },
	[DW_FORM_sec_offset] = { FORM_FIXED, OF_OFFSET },
	[DW_FORM_exprloc] = { FORM_BLOCK, 0 },
	[DW_FORM_flag_present] = { FORM_FIXED, 0 },
	[DW_FORM_strx] = { FORM_ULEB, 0 },
	[DW_FORM_addrx] = { FORM_ULEB, 0 },
	[DW_FORM_ref_sup4] = { FORM_FIXED, 4 },
	[DW_FORM_strp_sup] = { FORM_FIXED, OF_OFFSET },
	[DW_FORM_data16] = { FORM_FIXED, 16 },
	[DW_FORM_line_strp] = { FORM_FIXED, OF_OFFSET },
	[DW_FORM_ref_sig8] = { FORM_FIXED, 8 },
	[DW_FORM_implicit_const] = { FORM_FIXED, 0 },
	[DW_FORM_loclistx] = { FORM_ULEB, 0 },
	[DW_FORM_rnglistx] = { FORM_ULEB, 0 },
	[DW_FORM_ref_sup8] = { FORM_FIXED, 8 },
	[DW_FORM_strx1] = { FORM_FIXED, 1 },
	[DW_FORM_strx2] = { FORM_FIXED, 2 },
	[DW_FORM_strx3] = { FORM_FIXED, 3 },
	[DW_FORM_strx4] = { FORM_FIXED, 4 },
	[DW_FORM_addrx1] = { FORM_FIXED, 1 },
	[DW_FORM_addrx2] = { FORM_FIXED, 2 },
	[DW_FORM_addrx3] = { FORM_FIXED, 3 },
	[DW_FORM_addrx4] = { FORM_FIXED, 4 },
};

enum form_kind xp_form_kind(unsigned int form, uint8_t version, uint8_t address_size,
			    uint8_t offset_size, uint32_t *ret_bytes)
{
	enum { NR = sizeof(forms) / sizeof(forms[0]) };
	const struct form *known = form < NR ? &forms[form] : NULL;
	const uint32_t sizes[] = { address_size, offset_size,
				   version == 2 ? address_size : offset_size };

	*ret_bytes = 0;
	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return FORM_ULEB;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt) {
		*ret_bytes = offset_size;
		return FORM_FIXED;
	}
	if (!known || (known->kind == FORM_FIXED && !known->bytes && form != DW_FORM_flag_present &&
		       form != DW_FORM_implicit_const))
		return FORM_BAD;
	*ret_bytes = known->bytes >= OF_ADDRESS ? sizes[known->bytes - OF_ADDRESS] : known->bytes;
	return (enum form_kind)known->kind;
}

void xp_form_skip(struct cursor *c, enum form_kind kind)
{
	switch (kind) {
	case FORM_FIXED:
		return;
	case FORM_ULEB:
		cursor_uleb(c);
		return;
	case FORM_TEXT:
		cursor_text(c);
		return;
	case FORM_BLOCK1:
		cursor_skip(c, cursor_u8(c));
		return;
	case FORM_BLOCK2:
		cursor_skip(c, cursor_u16(c));
		return;
	case FORM_BLOCK4:
		cursor_skip(c, cursor_u32(c));
		return;
	case FORM_BLOCK:
		cursor_skip(c, cursor_uleb(c));
		return;
	case FORM_INDIRECT:
	case FORM_BAD:
		c->failed = true;
		c->at = c->end;
	}
}

void xp_form_skip_indirect(struct cursor *c, const struct abbrevs *abbrevs)
{
	uint32_t bytes;
	uint64_t form = cursor_uleb(c);
	enum form_kind kind =
		xp_form_kind(form > UINT16_MAX ? 0 : (unsigned int)form, abbrevs->version,
			     abbrevs->address_size, abbrevs->offset_size, &bytes);

	if (cursor_skip(c, bytes))
		xp_form_skip(c, kind);
}

static int reserve(void *array_ptr, uint32_t nr, uint32_t *cap, size_t size)
{
	size_t room = *cap;
	int err = vec_reserve(array_ptr, nr, &room, size);

	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	*cap = (uint32_t)room;
	return err;
}

/* One that is of a fixed length joins what is passed over before it. */
static int add_skip(struct abbrevs *abbrevs, struct abbrev *abbrev, enum form_kind kind,
		    uint32_t bytes)
{
	struct abbrev_skip *last = abbrev->nr_skips ? &abbrevs->skips[abbrevs->nr_skips - 1] : NULL;

	if (last && last->kind == FORM_FIXED) {
		last->bytes += bytes;
		last->kind = kind;
		return 0;
	}
	if (reserve(&abbrevs->skips, abbrevs->nr_skips, &abbrevs->cap_skips,
		    sizeof(*abbrevs->skips)))
		return -ENOMEM;
	abbrevs->skips[abbrevs->nr_skips++] = (struct abbrev_skip){ bytes, kind };
	abbrev->nr_skips++;
	return 0;
}

/* Reads the attributes of one. Returns 0, -ENOMEM, -EBADMSG. */
static int add_attrs(struct abbrevs *abbrevs, struct abbrev *abbrev, struct cursor *c)
{
	for (;;) {
		uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
		int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
		uint32_t bytes;

		if (c->failed || name > UINT16_MAX || form > UINT16_MAX ||
		    abbrev->nr_attrs == UINT16_MAX)
			return -EBADMSG;
		if (!name && !form)
			return 0;
		enum form_kind kind =
			xp_form_kind((unsigned int)form, abbrevs->version, abbrevs->address_size,
				     abbrevs->offset_size, &bytes);
		if (reserve(&abbrevs->attrs, abbrevs->nr_attrs, &abbrevs->cap_attrs,
			    sizeof(*abbrevs->attrs)) ||
		    add_skip(abbrevs, abbrev, kind, bytes))
			return -ENOMEM;
		abbrevs->attrs[abbrevs->nr_attrs++] = (struct abbrev_attr){ .name = (uint16_t)name,
									    .form = (uint16_t)form,
									    .kind = (uint8_t)kind,
									    .bytes = (uint8_t)bytes,
									    .constant = constant };
		abbrev->nr_attrs++;
	}
}

static int compare_codes(const void *a, const void *b)
{
	const struct abbrev *l = a, *r = b;

	return (l->code > r->code) - (l->code < r->code);
}

const struct abbrev *xp_abbrevs_search(const struct abbrevs *abbrevs, uint64_t code)
{
	const struct abbrev key = { .code = code };

	return abbrevs->nr ? bsearch(&key, abbrevs->at, abbrevs->nr, sizeof(key), compare_codes)
			   : NULL;
}

/* @last: no more than up to this code; 0: all */
static int fill(struct abbrevs *abbrevs, struct cursor *c, uint64_t last)
{
	int err = 0;

	abbrevs->is_dense = true;
	for (uint64_t code; !err && (code = cursor_uleb(c)) && !c->failed;) {
		struct abbrev abbrev = { .code = code,
					 .tag = (uint16_t)cursor_uleb(c),
					 .has_children = cursor_u8(c),
					 .attrs = abbrevs->nr_attrs,
					 .skips = abbrevs->nr_skips };

		err = add_attrs(abbrevs, &abbrev, c)
			      ?: reserve(&abbrevs->at, abbrevs->nr, &abbrevs->cap,
					 sizeof(*abbrevs->at));
		if (err)
			break;
		abbrevs->is_dense &= code == (uint64_t)abbrevs->nr + 1;
		abbrevs->at[abbrevs->nr++] = abbrev;
		if (code == last)
			break;
	}
	if (err == -ENOMEM)
		return err;
	if (!abbrevs->is_dense)
		qsort(abbrevs->at, abbrevs->nr, sizeof(*abbrevs->at), compare_codes);
	return 0;
}

void xp_abbrevs_free(struct abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	free(abbrevs->at);
	free(abbrevs->attrs);
	free(abbrevs->skips);
	free(abbrevs);
}

static int compare_tables(const struct abbrevs *a, const struct abbrevs *b)
{
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->version << 16 | a->address_size << 8 | a->offset_size) -
	       (b->version << 16 | b->address_size << 8 | b->offset_size);
}

static int compare_kept(const void *kept, const void *key)
{
	return compare_tables(*(struct abbrevs *const *)kept, key);
}

/* Where a table is, or would be, among those that are kept. */
static size_t place_of(const struct image *image, const struct abbrevs *key)
{
	return search_before(key, image->abbrevs, image->nr_abbrevs, sizeof(*image->abbrevs),
			     compare_kept);
}

/* Tables follow each other without their lengths: more is read until the end of this one is. What
 * is read of all tables together is no more than the file. */
static int read_table(struct image *image, struct abbrevs *abbrevs, uint64_t last)
{
	enum { ONE = 256, ALL = 2048 };
	struct abbrevs empty = *abbrevs;
	struct cursor c;

	for (uint64_t len = last ? ONE : ALL;
	     xp_dwarf_read(image, DWARF_ABBREV, abbrevs->offset, len, &c); len *= 4) {
		const uint8_t *begin = c.at;
		bool is_all = cursor_left(&c) < len;
		int err = fill(abbrevs, &c, last);
		uint64_t used = (uint64_t)(c.at - begin);

		if (used > image->left)
			return -EBADMSG;
		image->left -= used;
		if (err || is_all || !c.failed)
			return err;
		free(abbrevs->at);
		free(abbrevs->attrs);
		free(abbrevs->skips);
		*abbrevs = empty;
	}
	return -EBADMSG;
}

/* Returns NULL: damaged, or no memory. */
static struct abbrevs *table_new(struct image *image, const struct abbrevs *key, uint64_t last)
{
	struct abbrevs *abbrevs = malloc(sizeof(*abbrevs));

	image_note(image, abbrevs ? 0 : -ENOMEM);
	if (!abbrevs)
		return NULL;
	*abbrevs = *key;
	int err = read_table(image, abbrevs, last);
	if (!err)
		return abbrevs;
	image_note(image, err);
	xp_abbrevs_free(abbrevs);
	return NULL;
}

struct abbrevs *xp_abbrevs_one(struct image *image, const struct abbrevs *sizes, uint64_t code)
{
	return table_new(image, sizes, code);
}

struct abbrevs *xp_abbrevs_at(struct image *image, const struct abbrevs *sizes)
{
	size_t at = place_of(image, sizes);

	if (at < image->nr_abbrevs && !compare_tables(image->abbrevs[at], sizes))
		return image->abbrevs[at];
	struct abbrevs *abbrevs = table_new(image, sizes, 0);
	if (!abbrevs)
		return NULL;
	if (vec_add(&image->abbrevs, image->nr_abbrevs, sizeof(struct abbrevs *))) {
		image_note(image, -ENOMEM);
		xp_abbrevs_free(abbrevs);
		return NULL;
	}
	memmove(image->abbrevs + at + 1, image->abbrevs + at,
		(image->nr_abbrevs - at) * sizeof(struct abbrevs *));
	image->abbrevs[at] = abbrevs;
	image->nr_abbrevs++;
	return abbrevs;
}
