/* SPDX-License-Identifier: MIT */
/* Scope-bound release of locals. Set the pointer to NULL when ownership moves away. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdlib.h>

static inline void xp_free_indirect(void *p)
{
	free(*(void **)p);
}

#define xp_auto_free __attribute__((cleanup(xp_free_indirect)))

#define XP_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
