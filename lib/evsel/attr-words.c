/* SPDX-License-Identifier: MIT */
/* Words of an attribute: see attr-words.h. */
#include "attr-words.h"

#include <xperf/attr.h>

const struct xp_attr_word xp_attr_words[] = {
	{ "config", offsetof(struct xp_attr, config) },
	{ "config1", offsetof(struct xp_attr, config1) },
	{ "config2", offsetof(struct xp_attr, config2) },
	{ "config3", offsetof(struct xp_attr, config3) },
	{ "config4", offsetof(struct xp_attr, config4) },
	{ 0 },
};

const struct xp_attr_word *xp_attr_word_find(struct xp_span name)
{
	const struct xp_attr_word *word = xp_attr_words;

	while (word->name && !xp_span_equals(name, word->name))
		word++;
	return word->name ? word : NULL;
}

uint64_t *xp_attr_word_at(struct xp_attr *attr, const struct xp_attr_word *word)
{
	return (uint64_t *)((char *)attr + word->offset);
}
