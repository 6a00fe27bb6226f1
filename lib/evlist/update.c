/* SPDX-License-Identifier: MIT */
/*
 * What changes under an open list: CPUs go offline and come back, cgroups are removed and made
 * again.
 *
 * When a CPU goes offline, the kernel takes its events off it for good; they do not count when it
 * comes back (measured, Linux 6.1 to 7.2). What they counted is kept, and they are opened again.
 * Events of a cgroup belong to its directory, not to its name.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "cpus.h"
#include "list-impl.h"
#include "open.h"
#include "sampling.h"
#include "uapi.h"

/* @what: has become of a CPU; reasons that were there before stay. */
static void give_reason(struct xp_evlist *evlist, int cpu, const char *what)
{
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->tool == XP_TOOL_NONE && evlist->at[i]->support == XP_SUPPORTED &&
		    !xp_evsel_reason(evlist->at[i])[0])
			xp_evsel_set_reason(evlist->at[i], "CPU %d %s", cpu, what);
}

/* Keeps what the events of a CPU have counted, and closes them. */
static int close_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	int err = 0;

	if (!evlist->kept)
		err = xp_counts_new(evlist->nr, xp_cpus_nr(evlist->cpus),
				    xp_threads_nr(evlist->threads), &evlist->kept);
	if (err)
		return err;
	xp_evlist_add_cpu(evlist, cpu_idx, evlist->kept);
	for (int g = 0; g < evlist->nr_groups; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads); t++)
			xp_group_close_cell(&evlist->groups[g],
					    cpu_idx * xp_threads_nr(evlist->threads) + t);
	return 0;
}

static void open_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	struct xp_open_args args = { .cpus = evlist->cpus, .threads = evlist->threads };

	for (int g = 0; g < evlist->nr_groups; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads) && evlist->groups[g].nr; t++)
			xp_group_reopen_cell(&evlist->groups[g], &args, cpu_idx, t);
	evlist->cpu_states[cpu_idx] = XP_CPU_OPEN;
}

void xp_evlist_start_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	const struct xp_sys *sys = evlist->ctx->sys;

	for (int g = 0; g < evlist->nr_groups && evlist->is_enabled; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads) && evlist->groups[g].nr; t++) {
			int fd = xp_evsel_fd(evlist->groups[g].members[0], cpu_idx, t);

			if (fd >= 0)
				sys->ioctl(sys, fd, PERF_EVENT_IOC_ENABLE, 0);
		}
}

/* @blind_ns: how long a CPU may have been online without being counted */
static void add_blind(struct xp_evlist *evlist, int cpu_idx, uint64_t blind_ns)
{
	for (int g = 0; g < evlist->nr_groups && evlist->is_enabled; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads); t++)
			for (int i = 0; i < evlist->groups[g].nr; i++)
				xp_counts_at(evlist->kept, evlist->groups[g].members[i]->index,
					     cpu_idx, t)
					->enabled_ns += blind_ns;
}

static int update_cpu(struct xp_evlist *evlist, int cpu_idx, bool online, uint64_t blind_ns)
{
	int cpu = xp_cpus_at(evlist->cpus, cpu_idx).nr, err = 0;

	if (online == (evlist->cpu_states[cpu_idx] != XP_CPU_OFFLINE))
		return 0;
	evlist->cpu_states[cpu_idx] = online ? XP_CPU_BACK : XP_CPU_OFFLINE;
	if (!online) {
		err = evlist->records ? 0 : close_cpu(evlist, cpu_idx);
		give_reason(evlist, cpu, "went offline");
	} else if (!evlist->records) {
		open_cpu(evlist, cpu_idx);
		xp_evlist_start_cpu(evlist, cpu_idx);
		add_blind(evlist, cpu_idx, blind_ns);
		give_reason(evlist, cpu, "was offline for a time");
	}
	return err ? err : 1;
}

static int widen_to(struct xp_evlist *evlist, const struct xp_cpus *online)
{
	struct xp_cpus *all = xp_cpus_join(evlist->cpus, online);
	int err = all ? xp_evlist_widen(evlist, all) : -ENOMEM;

	xp_cpus_unref(all);
	return err;
}

/* All that were online were opened: one that is not among them has come since. */
static int add_new(struct xp_evlist *evlist, const struct xp_cpus *online, uint64_t blind_ns,
		   bool open_new)
{
	struct xp_cpus *before = evlist->cpus;
	int changes = 0;

	if (!evlist->on_all_cpus)
		return 0;
	for (int i = 0; i < xp_cpus_nr(online); i++) {
		if (xp_cpus_find(before, xp_cpus_at(online, i)) >= 0)
			continue;
		changes++;
		give_reason(evlist, xp_cpus_at(online, i).nr,
			    open_new          ? "came online later and is counted from then on"
			    : evlist->records ? "came online later"
					      : "came online later and is left out");
	}
	evlist->has_new_cpus = changes;
	if (!changes || !open_new)
		return changes;

	int err = widen_to(evlist, online);
	for (int i = 0; !err && i < xp_cpus_nr(evlist->cpus); i++) {
		if (evlist->cpu_states[i] != XP_CPU_BACK)
			continue;
		open_cpu(evlist, i);
		xp_evlist_start_cpu(evlist, i);
		add_blind(evlist, i, blind_ns);
	}
	return err ? err : changes;
}

static int update_cpus(struct xp_evlist *evlist, uint64_t blind_ns, bool open_new)
{
	struct xp_cpus *online = NULL;
	int nr = xp_cpus_nr(evlist->cpus), changes = 0;
	int err = xp_cpus_online(evlist->ctx, &online, NULL);

	if (!err && !evlist->cpu_states) {
		evlist->cpu_states = calloc((size_t)nr, sizeof(*evlist->cpu_states));
		err = evlist->cpu_states ? 0 : -ENOMEM;
		evlist->on_all_cpus |= xp_cpus_are_all(evlist->cpus);
	}
	for (int i = 0; !err && i < nr && xp_evlist_counts_whole_cpus(evlist); i++) {
		int changed = update_cpu(evlist, i,
					 xp_cpus_find(online, xp_cpus_at(evlist->cpus, i)) >= 0,
					 blind_ns);

		err = changed < 0 ? changed : 0;
		changes += changed;
	}
	int added = err ? 0 : add_new(evlist, online, blind_ns, open_new);
	if (added < 0)
		err = added;
	changes += added;
	xp_cpus_unref(online);
	return err ? err : changes;
}

static int update_cgroups(struct xp_evlist *evlist)
{
	int changes = 0;

	xp_evlist_check_cgroups(evlist);
	for (int i = 0; i < evlist->nr; i++) {
		const struct xp_cgroup *cgroup = evlist->at[i]->cgroup;

		if (!cgroup || !cgroup->is_another)
			continue;
		xp_evsel_set_reason(evlist->at[i], "its cgroup was removed and created again; "
						   "tasks of the new one are left out");
		changes++;
	}
	return changes;
}

static int update(struct xp_evlist *evlist, bool open_new)
{
	uint64_t now = xp_ctx_now(evlist->ctx);
	uint64_t blind_ns = evlist->updated_ns ? now - evlist->updated_ns : 0;

	if (!xp_ctx_is_here(evlist->ctx))
		return -EPERM;
	if (!evlist->is_open)
		return -ENOTCONN;
	evlist->updated_ns = now;
	if (evlist->counter)
		evlist->counter->update(evlist->counter, open_new);
	int cgroups = update_cgroups(evlist);
	int cpus = evlist->on_named_cpus ? update_cpus(evlist, blind_ns, open_new) : 0;
	return cpus < 0 ? cpus : cpus + cgroups;
}

int xp_evlist_update(struct xp_evlist *evlist)
{
	return update(evlist, false);
}

int xp_evlist_update_cpus(struct xp_evlist *evlist)
{
	return update(evlist, !evlist->records && xp_evlist_counts_whole_cpus(evlist));
}

/* --- recording --- */

static bool is_back(const struct xp_evlist *evlist, int cpu_idx)
{
	return evlist->cpu_states && evlist->cpu_states[cpu_idx] == XP_CPU_BACK;
}

bool xp_evlist_can_reopen(const struct xp_evlist *evlist)
{
	bool can = evlist->records && xp_evlist_counts_whole_cpus(evlist);

	for (int i = 0; i < evlist->nr_rings; i++)
		can &= !evlist->rings[i].place.overwrite && !evlist->rings[i].place.aux;
	return can;
}

bool xp_evlist_any_back(const struct xp_evlist *evlist)
{
	bool any = evlist->has_new_cpus;

	for (int i = 0; i < xp_cpus_nr(evlist->cpus); i++)
		any |= is_back(evlist, i);
	return any;
}

int xp_evlist_add_new_cpus(struct xp_evlist *evlist)
{
	struct xp_cpus *online = NULL;
	int err = evlist->has_new_cpus ? xp_cpus_online(evlist->ctx, &online, NULL) : 0;

	if (online)
		err = widen_to(evlist, online);
	xp_cpus_unref(online);
	evlist->has_new_cpus &= err != 0;
	return err;
}

int xp_evlist_next_back(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_cpus_nr(evlist->cpus); i++)
		if (is_back(evlist, i))
			return i;
	return -1;
}

int xp_evlist_reopen_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	size_t pages = xp_evlist_ring_pages(evlist);

	open_cpu(evlist, cpu_idx);
	int err = xp_evlist_map_cpu(evlist, cpu_idx, pages);
	for (int g = 0; err && g < evlist->nr_groups; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads); t++)
			xp_group_close_cell(&evlist->groups[g],
					    cpu_idx * xp_threads_nr(evlist->threads) + t);
	return err;
}

bool xp_evlist_is_frozen(const struct xp_evlist *evlist, int cpu_idx)
{
	return evlist->cpu_states && cpu_idx >= 0 && cpu_idx < xp_cpus_nr(evlist->cpus) &&
	       evlist->cpu_states[cpu_idx] != XP_CPU_OPEN;
}

void xp_evlist_forget_updates(struct xp_evlist *evlist)
{
	free(evlist->cpu_states);
	evlist->cpu_states = NULL;
	evlist->has_new_cpus = false;
	xp_counts_free(evlist->kept);
	evlist->kept = NULL;
	evlist->updated_ns = 0;
}
