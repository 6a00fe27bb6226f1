/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the rings of a list.
 * Source: perf_event_open(2), poll: POLLIN at the watermark, POLLHUP when the task has ended.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "sampling-impl.h"

static int make_polled(struct xp_evlist *evlist)
{
	evlist->polled = calloc((size_t)evlist->nr_rings, sizeof(*evlist->polled));
	if (!evlist->polled)
		return -ENOMEM;
	for (int i = 0; i < evlist->nr_rings; i++)
		evlist->polled[i] =
			(struct pollfd){ .fd = evlist->rings[i].place.fd, .events = POLLIN };
	return 0;
}

static bool any_is_left(const struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr_rings; i++)
		if (evlist->polled[i].fd >= 0)
			return true;
	return false;
}

int xp_evlist_poll(struct xp_evlist *evlist, int64_t timeout_ns)
{
	const struct xp_sys *sys = evlist->ctx->sys;
	int nr;

	if (!xp_ctx_is_here(evlist->ctx))
		return -EPERM;
	if (!evlist->nr_rings)
		return -ENOTCONN;
	if (!evlist->polled && make_polled(evlist))
		return -ENOMEM;
	if (!any_is_left(evlist))
		return -ESRCH;
	nr = sys->poll(sys, evlist->polled, (size_t)evlist->nr_rings, timeout_ns);
	for (int i = 0; nr > 0 && i < evlist->nr_rings; i++)
		if (evlist->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			evlist->polled[i].fd =
				xp_evlist_next_ring_fd(evlist, i) ? evlist->rings[i].place.fd : -1;
	return nr;
}
