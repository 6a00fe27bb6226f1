/* SPDX-License-Identifier: MIT */
/* What samples hold beside what the profile knows, from inside. */
#ifndef REPORT_EXTRAS_H
#define REPORT_EXTRAS_H

#include "index.h"
#include "numbers.h"

enum { NR_EXTRAS = NR_COLUMNS - XP_NR_KEYS, TEXT_BYTES = 128 };

struct tag {
	uint64_t values[NR_EXTRAS]; /* numbers, and addresses of texts */
	struct counted counted;     /* what no row is distinguished by */
	uint32_t row, unused;       /* the same without that; not a part of what is counted */
};

struct extras {
	struct report *report;
	const struct plan *plan;
	int columns[NR_EXTRAS]; /* those that are keys, in their order */
	int nr_columns;
	struct tag *tags;
	uint32_t nr_tags;
	struct index index;  /* of @tags */
	struct text **texts; /* by their hash */
	size_t nr_texts, texts_mask;
	uint64_t seed; /* of hashes */
	char shown[TEXT_BYTES];
};

struct found {
	struct extras *extras;
	int event, column;
	const struct xp_sample *sample;
	const struct xp_branch *branch; /* NULL: none */
};

/* What a column is in a sample, and as text; without @show, values are texts, and 0 is an error.
 * @is_sum: a row shows the sum over its samples, which are alike. Source: perf 6.1 */
struct extra_kind {
	uint64_t (*find)(const struct found *found);
	void (*show)(struct extras *extras, uint64_t value);
	bool more_first, is_sum;
	bool has_order; /* texts begin with what they are ordered by, and a blank, which are not
			   shown */
};

/* extras-kinds.c */
const struct extra_kind *extra_kind(int column);
/* extras-memory.c: see extra_kind.find. */
uint64_t op_of(const struct found *found);
uint64_t mem_of(const struct found *found);
uint64_t snoop_of(const struct found *found);
uint64_t tlb_of(const struct found *found);
uint64_t locked_of(const struct found *found);
uint64_t blocked_of(const struct found *found);
uint64_t data_symbol_of(const struct found *found);
uint64_t data_dso_of(const struct found *found);
uint64_t code_symbol_of(const struct found *found);
uint64_t cache_line_of(const struct found *found);
uint64_t from_of(const struct found *found);
uint64_t to_of(const struct found *found);

/* extras.c: the same text each time. Returns NULL without memory. */
const char *extras_keep(struct extras *extras, const char *bytes);

#endif
