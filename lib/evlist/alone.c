/* SPDX-License-Identifier: MIT */
/*
 * Events that the kernel does not hand on to threads and processes that are started while they
 * count (probe-inherit.c): whether there were any. An event that counts nothing but is handed on
 * stands beside them; the time it was enabled is longer than theirs if something was started.
 *
 * Source: perf_event_open(2), "inherit"; the times of a reading are the sums over all children.
 */
#include "alone.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "list-impl.h"
#include "uapi.h"

static int nr_cells(const struct xp_evlist *evlist)
{
	return xp_cpus_nr(evlist->cpus) * xp_threads_nr(evlist->threads);
}

static bool has_alone(const struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->alone && evlist->at[i]->support == XP_SUPPORTED)
			return true;
	return false;
}

int xp_alone_open(struct xp_evlist *evlist, bool enable_on_exec)
{
	const struct xp_sys *sys = evlist->ctx->sys;
	struct xp_attr attr = {
		.type = XP_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = XP_SW_DUMMY,
		.read_format = XP_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = enable_on_exec,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int nr_threads = xp_threads_nr(evlist->threads);

	if (!has_alone(evlist))
		return 0;
	evlist->company = malloc((size_t)nr_cells(evlist) * sizeof(*evlist->company));
	if (!evlist->company)
		return -ENOMEM;
	/* Where there is none, nothing is known, and nothing is claimed. */
	for (int i = 0; i < nr_cells(evlist); i++)
		evlist->company[i] = sys->perf_event_open(
			sys, &attr, xp_threads_tid(evlist->threads, i % nr_threads),
			xp_cpus_at(evlist->cpus, i / nr_threads).nr, -1, 0);
	return 0;
}

void xp_alone_enable(struct xp_evlist *evlist)
{
	for (int i = 0; evlist->company && i < nr_cells(evlist); i++)
		if (evlist->company[i] >= 0)
			evlist->ctx->sys->ioctl(evlist->ctx->sys, evlist->company[i],
						PERF_EVENT_IOC_ENABLE, 0);
}

void xp_alone_close(struct xp_evlist *evlist)
{
	for (int i = 0; evlist->company && i < nr_cells(evlist); i++)
		if (evlist->company[i] >= 0)
			evlist->ctx->sys->close(evlist->ctx->sys, evlist->company[i]);
	free(evlist->company);
	evlist->company = NULL;
	evlist->was_not_alone = false;
}

uint64_t xp_alone_read(const struct xp_evlist *evlist)
{
	uint64_t sum = 0;

	for (int i = 0; evlist->company && i < nr_cells(evlist); i++) {
		uint64_t reading[2] = { 0 };

		if (evlist->company[i] >= 0 &&
		    evlist->ctx->sys->read(evlist->ctx->sys, evlist->company[i], reading,
					   sizeof(reading)) == sizeof(reading))
			sum += reading[1];
	}
	return sum;
}

static uint64_t enabled_ns(const struct xp_counts *counts, int event)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < xp_counts_nr_cpus(counts); cpu++)
		for (int thread = 0; thread < xp_counts_nr_threads(counts); thread++)
			sum += xp_counts_at(counts, event, cpu, thread)->enabled_ns;
	return sum;
}

static void hide(struct xp_evsel *evsel, struct xp_counts *counts)
{
	for (int cpu = 0; cpu < xp_counts_nr_cpus(counts); cpu++)
		for (int thread = 0; thread < xp_counts_nr_threads(counts); thread++)
			*xp_counts_at(counts, evsel->index, cpu, thread) = (struct xp_count){ 0 };
	xp_evsel_set_reason(evsel,
			    "threads or processes were started, and the kernel does not pass "
			    "probes on to them; open it on CPUs, or define the probe in tracefs");
}

void xp_alone_hide(struct xp_evlist *evlist, uint64_t company_ns, struct xp_counts *counts)
{
	for (int i = 0; evlist->company && i < evlist->nr; i++)
		if (evlist->at[i]->alone && evlist->at[i]->support == XP_SUPPORTED &&
		    company_ns > enabled_ns(counts, i))
			evlist->was_not_alone = true;
	for (int i = 0; evlist->was_not_alone && i < evlist->nr; i++)
		if (evlist->at[i]->alone && evlist->at[i]->support == XP_SUPPORTED)
			hide(evlist->at[i], counts);
}
