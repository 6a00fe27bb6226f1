/* SPDX-License-Identifier: MIT */
/* A list of names that grows. */
#include "names.h"
#include "vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xp_names_add(struct xp_names *names, const char *name)
{
	if (vec_add(&names->at, (size_t)names->nr, sizeof(*names->at)))
		return -ENOMEM;
	names->at[names->nr] = strdup(name);
	if (!names->at[names->nr])
		return -ENOMEM;
	names->nr++;
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void xp_names_sort(struct xp_names *names)
{
	if (names->nr)
		qsort(names->at, (size_t)names->nr, sizeof(*names->at), by_bytes);
}

void xp_names_fini(struct xp_names *names)
{
	for (int i = 0; i < names->nr; i++)
		free(names->at[i]);
	free(names->at);
	*names = (struct xp_names){ 0 };
}
