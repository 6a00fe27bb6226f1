/* SPDX-License-Identifier: MIT */
/* A list of names that grows. Zero-initialised is empty; free with xp_names_fini(). */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <xperf/api.h>

struct xp_names {
	char **at;
	int nr;
};

/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int xp_names_add(struct xp_names *names, const char *name);
/* Orders the names by their bytes. */
void xp_names_sort(struct xp_names *names);
void xp_names_fini(struct xp_names *names);

#endif
