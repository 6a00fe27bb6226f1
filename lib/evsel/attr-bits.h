/* SPDX-License-Identifier: MIT */
/* Attributes as sets of bits: what a table row sets, asks for, or takes away. */
#ifndef EVSEL_ATTR_BITS_H
#define EVSEL_ATTR_BITS_H

#include <string.h>
#include <xperf/attr.h>

enum { XP_ATTR_WORDS = sizeof(struct xp_attr) / sizeof(uint64_t) };

_Static_assert(sizeof(struct xp_attr) % sizeof(uint64_t) == 0, "struct xp_attr is whole words");

struct xp_attr_words {
	uint64_t at[XP_ATTR_WORDS];
};

static inline struct xp_attr_words xp_attr_words(const struct xp_attr *attr)
{
	struct xp_attr_words words;

	memcpy(&words, attr, sizeof(words));
	return words;
}

/* Sets in @attr every bit of @bits. */
static inline void xp_attr_add(struct xp_attr *attr, const struct xp_attr *bits)
{
	struct xp_attr_words a = xp_attr_words(attr), b = xp_attr_words(bits);

	for (int i = 0; i < XP_ATTR_WORDS; i++)
		a.at[i] |= b.at[i];
	memcpy(attr, &a, sizeof(a));
}

/* Clears in @attr every bit of @bits. */
static inline void xp_attr_remove(struct xp_attr *attr, const struct xp_attr *bits)
{
	struct xp_attr_words a = xp_attr_words(attr), b = xp_attr_words(bits);

	for (int i = 0; i < XP_ATTR_WORDS; i++)
		a.at[i] &= ~b.at[i];
	memcpy(attr, &a, sizeof(a));
}

/* True if @attr has every bit of @bits. */
static inline bool xp_attr_has(const struct xp_attr *attr, const struct xp_attr *bits)
{
	struct xp_attr_words a = xp_attr_words(attr), b = xp_attr_words(bits);

	for (int i = 0; i < XP_ATTR_WORDS; i++)
		if (b.at[i] & ~a.at[i])
			return false;
	return true;
}

#endif
