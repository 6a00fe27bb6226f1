/* SPDX-License-Identifier: MIT */
/* The list as an object: made, filled, freed. Opening, reading and parsing are in their own files.
 */
#include "list-impl.h"
#include "vec.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/evlist.h>

int xp_evlist_new(struct xp_ctx *ctx, struct xp_evlist **ret_evlist)
{
	struct xp_evlist *evlist = calloc(1, sizeof(*evlist));

	if (!evlist)
		return -ENOMEM;
	evlist->ctx = ctx;
	*ret_evlist = evlist;
	return 0;
}

void xp_evlist_free(struct xp_evlist *evlist)
{
	if (!evlist)
		return;
	xp_evlist_close(evlist);
	if (evlist->counter)
		evlist->counter->free(evlist->counter);
	xp_evlist_shrink_to(evlist, 0);
	xp_evlist_free_cgroups(evlist);
	free(evlist->at);
	free(evlist);
}

void xp_evlist_shrink_to(struct xp_evlist *evlist, int nr)
{
	while (evlist->nr > nr) {
		struct xp_evsel *last = evlist->at[--evlist->nr];

		last->index = -1;
		xp_evsel_free(last);
	}
}

int xp_evlist_nr(const struct xp_evlist *evlist)
{
	return evlist->nr;
}

struct xp_evsel *xp_evlist_at(const struct xp_evlist *evlist, int idx)
{
	return idx >= 0 && idx < evlist->nr ? evlist->at[idx] : NULL;
}

int xp_evlist_add(struct xp_evlist *evlist, struct xp_evsel *evsel)
{
	if (evlist->is_open || evsel->fds || evsel->index >= 0)
		return -EBUSY;
	if (vec_add(&evlist->at, (size_t)evlist->nr, sizeof(struct xp_evsel *)))
		return -ENOMEM;
	evsel->index = evlist->nr;
	evlist->at[evlist->nr++] = evsel;
	return 0;
}

int xp_evlist_set_counter(struct xp_evlist *evlist, struct xp_list_counter *counter)
{
	if (evlist->is_open || evlist->counter)
		return -EBUSY;
	evlist->counter = counter;
	return 0;
}

struct xp_cpus *xp_evlist_cpus(const struct xp_evlist *evlist)
{
	return evlist->is_open ? evlist->cpus : NULL;
}

struct xp_threads *xp_evlist_threads(const struct xp_evlist *evlist)
{
	return evlist->is_open ? evlist->threads : NULL;
}
