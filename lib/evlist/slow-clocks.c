/* SPDX-License-Identifier: MIT */
/*
 * Clocks that are sampled less often than they were opened for. Source: perf_event_open(2),
 * PERF_EVENT_IOC_PERIOD, which does not reach the events that child tasks have inherited; Linux
 * 6.1, perf_swevent_init_hrtimer(): a frequency is made a period when the event is opened.
 */
#include <xperf/cpus.h>

#include "list-impl.h"
#include "sampling.h"
#include "software-event.h"
#include "uapi.h"

uint64_t xp_clock_period(const struct xp_attr *attr)
{
	enum { NS_PER_S = 1000000000 };

	if (!is_clock_attr(attr) || !(attr->sample_type & XP_SAMPLE_PERIOD) || !attr->sample_period)
		return 0;
	return attr->freq ? NS_PER_S / attr->sample_freq : attr->sample_period;
}

bool xp_evlist_has_slow_clocks(const struct xp_evlist *evlist)
{
	bool any = false;

	for (int i = 0; i < evlist->nr; i++)
		any |= xp_clock_period(&evlist->at[i]->attr) > 0;
	return any && evlist->records && xp_evlist_counts_whole_cpus(evlist);
}

void xp_evlist_slow_clocks(struct xp_evlist *evlist, unsigned int parts)
{
	const struct xp_sys *sys = evlist->ctx->sys;

	for (int i = 0; i < evlist->nr; i++) {
		const struct xp_evsel *evsel = evlist->at[i];
		uint64_t period = xp_clock_period(&evsel->attr) * parts;
		int nr = xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads);

		for (int k = 0; k < nr && period && evsel->fds; k++)
			if (evsel->fds[k] >= 0)
				sys->ioctl(sys, evsel->fds[k], PERF_EVENT_IOC_PERIOD,
					   (unsigned long)(uintptr_t)&period);
	}
}
