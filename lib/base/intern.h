/* SPDX-License-Identifier: MIT */
/* Texts kept once: equal pointers are equal texts. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <xperf/api.h>

struct xp_intern_slot {
	const char *text; /* NULL: free */
	uint64_t hash;
};

struct xp_intern_chunk;

/* Zero-initialised is empty; free with xp_intern_fini(). */
struct xp_intern {
	struct xp_intern_slot *slots;
	size_t nr, room; /* room: 0 or a power of two */
	uint64_t seed;
	struct xp_intern_chunk *chunk;
};

/* @text: @len bytes without a NUL among them. Returns the text, valid until xp_intern_fini(); NULL
 * when out of memory. */
const char *xp_intern_add(struct xp_intern *intern, const char *text, size_t len);
/* Gives back what only xp_intern_add() needs, which must not be called any more. */
void xp_intern_seal(struct xp_intern *intern);
void xp_intern_fini(struct xp_intern *intern);

#endif
