/* SPDX-License-Identifier: MIT */
/*
 * Why events that were opened and enabled were never on a counter.
 * Source: perf_event_open(2), time_running and "pinned";
 * Documentation/admin-guide/sysctl/kernel.rst, nmi_watchdog.
 */
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sampling.h>
#include <xperf/workload.h>

#include "host.h"
#include "list-impl.h"
#include "pmus.h"
#include "uapi.h"

static struct xp_count sum_of(const struct xp_counts *counts, int event)
{
	struct xp_count sum = { 0 };

	for (int cpu = 0; cpu < xp_counts_nr_cpus(counts); cpu++)
		for (int thread = 0; thread < xp_counts_nr_threads(counts); thread++) {
			const struct xp_count *count = xp_counts_at(counts, event, cpu, thread);

			sum.enabled_ns += count->enabled_ns;
			sum.running_ns += count->running_ns;
		}
	return sum;
}

/* The watchdog keeps a counter of every CPU to itself. */
static const char *who_holds_one(struct xp_ctx *ctx)
{
	int64_t on;

	if (xp_file_read_int(ctx, &on, "/proc/sys/kernel/nmi_watchdog") || !on)
		return "";
	return ", one of which the NMI watchdog holds (kernel.nmi_watchdog=1)";
}

/* Its PMU is on some of the CPUs only. */
static bool has_kind_of_cpu(const struct xp_evsel *evsel)
{
	bool generic = evsel->attr.type == XP_TYPE_HARDWARE || evsel->attr.type == XP_TYPE_HW_CACHE;

	return (generic || (evsel->pmu && evsel->pmu->is_core)) &&
	       xp_host_has_cpu_kinds(evsel->ctx);
}

bool xp_evlist_misses_cpus(const struct xp_evlist *evlist, int event)
{
	return evlist->followed_tasks && xp_evlist_at(evlist, event) &&
	       (evlist->on_named_cpus || has_kind_of_cpu(evlist->at[event]));
}

static void explain(const struct xp_evlist *evlist, struct xp_evsel *evsel)
{
	const char *holder = who_holds_one(evsel->ctx);
	int size = xp_evsel_group_size(evsel);

	if (evlist->followed_tasks && has_kind_of_cpu(evsel))
		xp_evsel_set_reason(
			evsel, "its PMU exists on one kind of this machine's CPUs only, and the "
			       "measured tasks did not run there");
	else if (evsel->attr.pinned)
		xp_evsel_set_reason(evsel, "it is pinned, and no counter was free%s", holder);
	else if (size > 1)
		xp_evsel_set_reason(
			evsel,
			"the %d events of its group do not fit on the PMU's counters together%s; "
			"use smaller groups",
			size, holder);
	else
		xp_evsel_set_reason(evsel, "no counter was ever free%s", holder);
}

/* How long the event that was there longest was. */
static uint64_t longest_ns(const struct xp_evlist *evlist, const struct xp_counts *counts)
{
	uint64_t longest = 0;

	for (int i = 0; i < evlist->nr; i++) {
		struct xp_count sum = sum_of(counts, i);

		if (evlist->at[i]->tool == XP_TOOL_NONE && sum.enabled_ns > longest)
			longest = sum.enabled_ns;
	}
	return longest;
}

bool xp_evlist_check_workload(struct xp_evlist *evlist, const struct xp_workload *workload,
			      const struct xp_exit *exit, struct xp_counts *counts)
{
	if (longest_ns(evlist, counts) >= (exit->user_ns + exit->system_ns) / 2 ||
	    !xp_workload_is_privileged(workload))
		return true;
	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];

		if (evsel->tool != XP_TOOL_NONE || evsel->support != XP_SUPPORTED)
			continue;
		for (int cpu = 0; cpu < xp_counts_nr_cpus(counts); cpu++)
			for (int thread = 0; thread < xp_counts_nr_threads(counts); thread++)
				*xp_counts_at(counts, i, cpu, thread) = (struct xp_count){ 0 };
		xp_evsel_set_reason(evsel, "the command is setuid, setgid, has capabilities or is "
					   "unreadable: only root may count it");
	}
	return false;
}

/* Another event that is shown with it was on a counter: on another kind of CPU. */
static bool others_ran(const struct xp_evlist *evlist, const struct xp_counts *counts,
		       const struct xp_evsel *evsel)
{
	for (int i = 0; evsel->is_merged && i < evlist->nr; i++)
		if (evlist->at[i]->merged_into == evsel->merged_into &&
		    sum_of(counts, i).running_ns)
			return true;
	return false;
}

void xp_evlist_explain(struct xp_evlist *evlist, const struct xp_counts *counts)
{
	xp_evlist_check_cgroups(evlist);
	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];
		struct xp_count sum = sum_of(counts, i);

		if (evsel->support != XP_SUPPORTED || evsel->tool != XP_TOOL_NONE)
			continue;
		/* An event of a cgroup is enabled while one of its tasks runs. */
		if (evsel->cgroup && !sum.enabled_ns) {
			if (!evsel->cgroup->is_another)
				xp_evsel_set_reason(evsel, "no task of its cgroup ran");
			continue;
		}
		/* A pinned event that failed reads as end of file: no times at all. */
		if ((sum.enabled_ns ? !sum.running_ns : evsel->attr.pinned) &&
		    !others_ran(evlist, counts, evsel))
			explain(evlist, evsel);
	}
}
