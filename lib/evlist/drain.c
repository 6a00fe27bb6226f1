/* SPDX-License-Identifier: MIT */
/* The records in the rings of a list, each with its event, for programs that read them themselves.
 */
#include <errno.h>
#include <xperf/ring.h>
#include <xperf/sampling.h>

#include "list-impl.h"
#include "sampling.h"

/* What a damaged ring holds is dropped; it can be read on. */
static int drain_ring(struct xp_evlist *evlist, struct xp_ring *ring, xp_drain_fn fn, void *data)
{
	const struct xp_record *record;
	int found = 0, result = 0;

	xp_ring_begin(ring);
	while (!result && (found = xp_ring_next(ring, &record)) > 0)
		result = fn(record, xp_event_ids_of(evlist->ids, record), data);
	if (found < 0)
		xp_ring_reset(ring);
	else
		xp_ring_consume(ring);
	return result ? result : found;
}

int xp_evlist_drain(struct xp_evlist *evlist, xp_drain_fn fn, void *data)
{
	int err = 0, result = 0;

	if (!xp_ctx_is_here(evlist->ctx))
		return -EPERM;
	if (!evlist->nr_rings)
		return -ENOTCONN;
	if (!evlist->ids)
		err = xp_event_ids_new(evlist, &evlist->ids);
	if (!err)
		err = xp_evlist_pause_overwritten(evlist, true);
	if (err)
		return err;
	for (int i = 0; !result && i < evlist->nr_rings; i++)
		result = drain_ring(evlist, evlist->rings[i].place.ring, fn, data);
	err = xp_evlist_pause_overwritten(evlist, false);
	return result ? result : err;
}
