/* SPDX-License-Identifier: MIT */
/* Opening and closing the descriptors of one event. */
#include "event.h"

#include <stdlib.h>

void xp_evsel_close(struct xp_evsel *evsel)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	int nr = xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads);

	if (!evsel->fds)
		return;
	for (int i = 0; i < nr; i++)
		if (evsel->fds[i] >= 0)
			sys->close(sys, evsel->fds[i]);
	free(evsel->fds);
	evsel->fds = NULL;
	xp_cpus_unref(evsel->cpus);
	xp_threads_unref(evsel->threads);
	evsel->cpus = NULL;
	evsel->threads = NULL;
}
