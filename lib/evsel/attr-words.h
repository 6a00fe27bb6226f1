/* SPDX-License-Identifier: MIT */
/* The words of an attribute whose bits depend on the PMU, by name: terms set them, formats name
 * them. */
#ifndef EVSEL_ATTR_WORDS_H
#define EVSEL_ATTR_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct xp_attr;

struct xp_attr_word {
	const char *name; /* NULL: the end */
	size_t offset;
};

extern const struct xp_attr_word xp_attr_words[];

/* NULL: there is none. */
const struct xp_attr_word *xp_attr_word_find(struct xp_span name);
uint64_t *xp_attr_word_at(struct xp_attr *attr, const struct xp_attr_word *word);

#endif
