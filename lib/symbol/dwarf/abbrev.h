/* SPDX-License-Identifier: MIT */
/* Abbreviations: which attributes a DIE has, in which form, and how its bytes are passed over. */
#ifndef DWARF_ABBREV_H
#define DWARF_ABBREV_H

#include "image.h"

/* @kind, @bytes: of its form, as xp_form_kind() has them. @constant: of a form that has its value
 * here */
struct abbrev_attr {
	uint16_t name, form;
	uint8_t kind, bytes;
	int64_t constant;
};

/* What is passed over where a DIE is of no interest: bytes, then something that says its length. */
struct abbrev_skip {
	uint32_t bytes;
	uint32_t kind;
};

struct abbrev {
	uint64_t code;
	uint32_t attrs, skips; /* the first of each */
	uint16_t nr_attrs, nr_skips;
	uint16_t tag;
	bool has_children;
};

/* The sizes of addresses and offsets decide what is passed over. */
struct abbrevs {
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	bool is_dense; /* code N is at N - 1 */
	struct abbrev *at;
	struct abbrev_attr *attrs;
	struct abbrev_skip *skips;
	uint32_t nr, cap, nr_attrs, cap_attrs, nr_skips, cap_skips;
};

/* How long a form is. */
enum form_kind {
	FORM_FIXED,
	FORM_ULEB,
	FORM_TEXT,
	FORM_BLOCK1,
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK,
	FORM_INDIRECT,
	FORM_BAD,
};

/* @ret_bytes: of FORM_FIXED */
enum form_kind xp_form_kind(unsigned int form, uint8_t version, uint8_t address_size,
			    uint8_t offset_size, uint32_t *ret_bytes);
/* Passes over what says its length itself. */
void xp_form_skip(struct cursor *c, enum form_kind kind);
/* Passes over a value whose form is before it. */
void xp_form_skip_indirect(struct cursor *c, const struct abbrevs *abbrevs);

/* The table at an offset, for units of these sizes: @sizes has no more. Kept with the image. NULL:
 * damaged, or no memory. */
struct abbrevs *xp_abbrevs_at(struct image *image, const struct abbrevs *sizes);
/* A table with this one, and perhaps others; the caller's to free. NULL: likewise. */
struct abbrevs *xp_abbrevs_one(struct image *image, const struct abbrevs *sizes, uint64_t code);
void xp_abbrevs_free(struct abbrevs *abbrevs);

const struct abbrev *xp_abbrevs_search(const struct abbrevs *abbrevs, uint64_t code);

static inline const struct abbrev *abbrev_find(const struct abbrevs *abbrevs, uint64_t code)
{
	if (abbrevs->is_dense)
		return code - 1 < abbrevs->nr ? &abbrevs->at[code - 1] : NULL;
	return xp_abbrevs_search(abbrevs, code);
}

/* Passes over the attributes of a DIE. */
static inline void abbrev_skip(const struct abbrevs *abbrevs, const struct abbrev *abbrev,
			       struct cursor *c)
{
	for (uint32_t i = 0; i < abbrev->nr_skips; i++) {
		const struct abbrev_skip *skip = &abbrevs->skips[abbrev->skips + i];

		if (!cursor_skip(c, skip->bytes))
			return;
		if (skip->kind == FORM_ULEB) {
			while (c->at < c->end && *c->at++ & 0x80)
				;
		} else if (skip->kind == FORM_INDIRECT) {
			xp_form_skip_indirect(c, abbrevs);
		} else if (skip->kind != FORM_FIXED) {
			xp_form_skip(c, (enum form_kind)skip->kind);
		}
	}
}

#endif
