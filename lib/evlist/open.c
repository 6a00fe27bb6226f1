/* SPDX-License-Identifier: MIT */
/* Opening and closing a list. */
#include "list.h"

#include <stdlib.h>

void xp_evlist_close(struct xp_evlist *evlist)
{
	if (!evlist->is_open)
		return;
	for (int i = 0; i < evlist->nr; i++)
		xp_evsel_close(evlist->at[i]);
	for (int i = 0; i < evlist->nr_groups; i++)
		free(evlist->groups[i].members);
	free(evlist->groups);
	evlist->groups = NULL;
	evlist->nr_groups = 0;
	xp_cpus_unref(evlist->cpus);
	xp_threads_unref(evlist->threads);
	evlist->cpus = NULL;
	evlist->threads = NULL;
	evlist->is_open = false;
}
