/* SPDX-License-Identifier: MIT */
/*
 * Call chains that the kernel ends later: what users' code had called is written when the thread
 * goes back to it, in a CALLCHAIN_DEFERRED of its own, once for all samples that were taken before.
 * A cookie says which belong together.
 *
 * Source: linux/perf_event.h (Linux 7.2), PERF_CONTEXT_USER_DEFERRED,
 * PERF_RECORD_CALLCHAIN_DEFERRED.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

#include "search.h"
#include "timeline-impl.h"

/* The cookie stands behind the marker. */
enum { MARKER_LEN = 2 };

struct deferred_record {
	struct xp_record header;
	uint64_t cookie, nr;
	uint64_t ips[];
};

int xp_timeline_add_chain(struct xp_timeline *timeline, const struct xp_record *record,
			  const struct xp_sample_id *id)
{
	const struct deferred_record *deferred = (const void *)record;
	struct later_chain *chain = xp_vector_add(&timeline->chains, sizeof(*chain));

	if (!chain)
		return -ENOMEM;
	*chain = (struct later_chain){ .tid = id->tid,
				       .cookie = deferred->cookie,
				       .time_ns = id->time_ns };
	chain->ips = reallocarray(NULL, deferred->nr + 1, sizeof(*chain->ips));
	if (!chain->ips)
		return -ENOMEM;
	memcpy(chain->ips, deferred->ips, deferred->nr * sizeof(*chain->ips));
	chain->nr = deferred->nr;
	return 0;
}

void xp_timeline_free_chains(struct xp_timeline *timeline)
{
	struct later_chain *chains = timeline->chains.at;

	for (size_t i = 0; i < timeline->chains.nr; i++)
		free(chains[i].ips);
	free(chains);
}

static int compare(const void *a, const void *b)
{
	const struct later_chain *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

void xp_timeline_sort_chains(struct xp_timeline *timeline)
{
	if (timeline->chains.nr)
		qsort(timeline->chains.at, timeline->chains.nr, sizeof(struct later_chain),
		      compare);
}

/* The first that was recorded not before the sample. */
static const struct later_chain *find(const struct xp_timeline *timeline,
				      const struct later_chain *wanted)
{
	const struct later_chain *chains = timeline->chains.at;
	size_t low = search_before(wanted, chains, timeline->chains.nr, sizeof(*wanted), compare);

	return low < timeline->chains.nr && chains[low].tid == wanted->tid &&
			       chains[low].cookie == wanted->cookie
		       ? &chains[low]
		       : NULL;
}

int xp_timeline_join(const struct xp_timeline *timeline, int32_t tid, uint64_t time_ns,
		     struct xp_joined *joined, const uint64_t **chain, size_t *nr)
{
	if (!xp_chain_is_open(*chain, *nr))
		return 0;
	const struct later_chain wanted = { .tid = tid,
					    .cookie = (*chain)[*nr - 1],
					    .time_ns = time_ns };
	const struct later_chain *later = find(timeline, &wanted);
	size_t first = *nr - MARKER_LEN;
	size_t all = first + (later ? later->nr : 0);
	if (all > joined->room) {
		uint64_t *larger = reallocarray(joined->at, all, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		joined->at = larger;
		joined->room = all;
	}
	if (first)
		memcpy(joined->at, *chain, first * sizeof(**chain));
	if (later)
		memcpy(joined->at + first, later->ips, later->nr * sizeof(*later->ips));
	*chain = joined->at;
	*nr = all;
	return 0;
}
