/* SPDX-License-Identifier: MIT */
/*
 * Events of a list that BPF counts: they are opened once on each CPU (counter-shared.c), and what
 * they count is attributed to slots (counter-slots.c) by programs in the kernel (counts.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/bpf.h>
#include <xperf/cgroup.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "cgroup.h"
#include "counter-impl.h"
#include "ctx.h"
#include "pids.h"

static struct xp_bpf_counter *counter_of(struct xp_list_counter *list)
{
	return (struct xp_bpf_counter *)list;
}

/* --- in the kernel --- */

static int set_events(struct xp_bpf_counter *counter)
{
	int err = 0;

	for (int i = 0; i < xp_evlist_nr(counter->shared); i++)
		for (int c = 0; c < xp_cpus_nr(xp_evlist_cpus(counter->shared)) && !err; c++) {
			int fd = xp_evsel_fd(xp_evlist_at(counter->shared, i), c, 0);

			if (fd >= 0)
				err = xp_bpf_counts_set_event(
					counter->counts, (uint32_t)i,
					xp_cpus_at(xp_evlist_cpus(counter->shared), c).nr, fd);
		}
	return err;
}

/* Those that have been set are not set again. */
static int set_switches(struct xp_bpf_counter *counter, struct xp_diag *diag)
{
	int err = 0;

	if (!counter->switches)
		return 0;
	for (int c = 0; c < xp_cpus_nr(xp_evlist_cpus(counter->switches)) && !err; c++) {
		int fd = xp_evsel_fd(xp_evlist_at(counter->switches, 0), c, 0);

		err = fd < 0 ? 0 : xp_bpf_counts_set_switch(counter->counts, fd, diag);
		if (err == -EEXIST)
			err = 0;
	}
	return err;
}

static int add_slots(struct xp_bpf_counter *counter, const struct xp_evlist *evlist)
{
	int err = 0;

	for (int i = 0; i < counter->nr_slots && !err; i++)
		if (counter->cgroups)
			err = xp_bpf_counts_add_cgroup(counter->counts, counter->cgroups[i]->inode,
						       (uint32_t)i);
		else if (follows_tasks(evlist))
			err = xp_bpf_counts_add_task(counter->counts,
						     xp_threads_tid(xp_evlist_threads(evlist), i),
						     (uint32_t)i);
	return err;
}

static int check_pids(const struct xp_bpf_counter *counter, const struct xp_evlist *evlist,
		      struct xp_diag *diag)
{
	return follows_tasks(evlist) ? xp_bpf_check_pids(counter->events[0].evsel->ctx, diag) : 0;
}

static int load(struct xp_bpf_counter *counter, const struct xp_evlist *evlist,
		const struct xp_open_opts *opts, struct xp_diag *diag)
{
	struct xp_bpf_counts_plan plan = {
		.kind = counter->programs       ? COUNTING_RUNS
			: counter->cgroups      ? COUNTING_CGROUPS
			: follows_tasks(evlist) ? COUNTING_TASKS
						: COUNTING_CPUS,
		.nr_events = (uint32_t)xp_evlist_nr(counter->shared),
		.nr_slots = (uint32_t)counter->nr_slots,
		.nr_cgroups = counter->cgroups ? (uint32_t)counter->nr_slots : 0,
		.nr_tasks = follows_tasks(evlist) ? (uint32_t)counter->nr_slots : 0,
		.by_controller =
			counter->cgroups && xp_cgroups_are_v1(counter->events[0].evsel->ctx),
		.at_exec = opts->enable_on_exec,
		.inherit = opts->inherit,
	};
	int err = xp_bpf_counts_new(&plan, &counter->counts, diag);

	if (err)
		return err;
	counter->sums =
		calloc((size_t)xp_bpf_counts_nr_cpus(counter->counts), sizeof(*counter->sums));
	err = counter->sums ? set_events(counter) ?: add_slots(counter, evlist) : -ENOMEM;
	if (err)
		return xp_diag_set(diag, err, "What BPF is to count cannot be stored: %s",
				   strerror(-err));
	return xp_bpf_counts_attach(counter->counts, diag)
		       ?: set_switches(counter, diag) ?: xp_bpf_add_programs(counter, diag);
}

static int run(struct xp_bpf_counter *counter, enum xp_bpf_step step)
{
	return xp_bpf_counts_run(counter->counts, step, xp_evlist_cpus(counter->shared));
}

/* --- the calls of the list --- */

static int enable_counter(struct xp_list_counter *list)
{
	struct xp_bpf_counter *counter = counter_of(list);

	counter->is_on = true;
	return run(counter, XP_BPF_START);
}

static int disable_counter(struct xp_list_counter *list)
{
	struct xp_bpf_counter *counter = counter_of(list);

	counter->is_on = false;
	return run(counter, XP_BPF_STOP);
}

static int open_counter(struct xp_list_counter *list, struct xp_evlist *evlist,
			const struct xp_open_opts *opts, struct xp_diag *diag)
{
	struct xp_bpf_counter *counter = counter_of(list);
	int err = check_pids(counter, evlist, diag) ?: xp_bpf_open_shared(counter, evlist, diag);

	if (err)
		return err;
	xp_bpf_copy_back(counter);
	err = xp_bpf_plan_slots(counter, evlist, diag) ?: load(counter, evlist, opts, diag);
	if (!err)
		xp_bpf_offer_shared(counter);
	if (!err && opts->enable_on_exec) {
		err = enable_counter(list);
		if (err)
			xp_diag_set(diag, err, "The BPF program 'counting' cannot be run: %s",
				    strerror(-err));
	}
	return err;
}

static int update_list(struct xp_evlist *evlist, bool open_new)
{
	return open_new ? xp_evlist_update_cpus(evlist) : xp_evlist_update(evlist);
}

static void update_counter(struct xp_list_counter *list, bool open_new)
{
	struct xp_bpf_counter *counter = counter_of(list);

	if (counter->switches && update_list(counter->switches, open_new) > 0)
		set_switches(counter, NULL);
	if (update_list(counter->shared, open_new) > 0) {
		set_events(counter);
		xp_bpf_offer_shared(counter);
		if (counter->is_on)
			run(counter, XP_BPF_START);
		xp_bpf_copy_back(counter);
	}
}

static void add_to_cell(struct xp_count *cell, const struct xp_bpf_sum *sum)
{
	cell->value += sum->value;
	cell->enabled_ns += sum->enabled_ns;
	cell->running_ns += sum->running_ns;
}

/* Adds one reading to the cells of one event; by position of the CPU, if CPUs are counted. */
static void add_sums(const struct xp_bpf_counter *counter, const struct xp_evlist *evlist,
		     const struct xp_bpf_counted *event, int thread, struct xp_counts *counts)
{
	for (int cpu = 0; cpu < xp_bpf_counts_nr_cpus(counter->counts); cpu++) {
		int cpu_idx = counts_cpus(evlist)
				      ? xp_cpus_find(xp_evlist_cpus(evlist), (struct xp_cpu){ cpu })
				      : 0;

		if (cpu_idx >= 0)
			add_to_cell(xp_counts_at(counts, event->evsel->index, cpu_idx, thread),
				    &counter->sums[cpu]);
	}
}

/* The reading of a slot also belongs to the cgroups above. */
static int read_slot(struct xp_bpf_counter *counter, const struct xp_evlist *evlist, int slot,
		     int shared, struct xp_counts *counts)
{
	int err = xp_bpf_counts_read(counter->counts, (uint32_t)slot, (uint32_t)shared,
				     counter->sums);
	int thread = counter->cgroups || !follows_tasks(evlist) ? 0 : slot;

	while (!err && slot != NONE) {
		/* Of a cgroup there are some events, of a thread all. */
		int row = counter->cgroups ? slot : 0;

		for (int i = counter->first[row * xp_evlist_nr(counter->shared) + shared];
		     i != NONE; i = counter->events[i].next)
			add_sums(counter, evlist, &counter->events[i], thread, counts);
		slot = counter->parents ? counter->parents[slot] : NONE;
	}
	return err;
}

static void clear_cells(const struct xp_bpf_counter *counter, struct xp_counts *counts)
{
	for (int i = 0; i < counter->nr_events; i++)
		for (int c = 0; c < xp_counts_nr_cpus(counts); c++)
			for (int t = 0; t < xp_counts_nr_threads(counts); t++)
				*xp_counts_at(counts, counter->events[i].evsel->index, c, t) =
					(struct xp_count){ 0 };
}

static void report_missed(struct xp_bpf_counter *counter)
{
	uint64_t nr = xp_bpf_counts_nr_missed(counter->counts);

	for (int i = 0; nr && i < counter->nr_events; i++)
		xp_evsel_set_reason(counter->events[i].evsel,
				    "not in %llu of the tasks that were started: there were too "
				    "many at the same time",
				    (unsigned long long)nr);
}

static int read_counter(struct xp_list_counter *list, struct xp_evlist *evlist,
			struct xp_counts *counts)
{
	struct xp_bpf_counter *counter = counter_of(list);
	int err = run(counter, XP_BPF_SUM_UP);

	clear_cells(counter, counts);
	for (int slot = 0; slot < counter->nr_slots; slot++)
		for (int i = 0; i < xp_evlist_nr(counter->shared) && !err; i++)
			if (xp_evlist_at(counter->shared, i)->support == XP_SUPPORTED)
				err = read_slot(counter, evlist, slot, i, counts);
	if (counter->programs)
		xp_bpf_report_runs(counter);
	else
		report_missed(counter);
	return err;
}

static void close_counter(struct xp_list_counter *list)
{
	struct xp_bpf_counter *counter = counter_of(list);
	const struct xp_sys *sys = counter->events[0].evsel->ctx->sys;

	xp_bpf_counts_free(counter->counts);
	if (counter->offer != NONE)
		sys->close(sys, counter->offer);
	if (counter->shared)
		xp_evlist_close_behind(counter->shared);
	xp_evlist_free(counter->shared);
	xp_evlist_free(counter->switches);
	free(counter->cgroups);
	free(counter->parents);
	free(counter->first);
	free(counter->sums);
	counter->counts = NULL;
	counter->shared = counter->switches = NULL;
	counter->cgroups = NULL;
	counter->parents = counter->first = NULL;
	counter->sums = NULL;
	counter->nr_slots = 0;
	counter->offer = NONE;
	counter->is_on = false;
}

static void free_counter(struct xp_list_counter *list)
{
	free(counter_of(list)->programs);
	free(counter_of(list)->events);
	free(list);
}

/* --- choosing --- */

/* A list with cgroups has others as well, for all tasks: those are counted by CPU. */
static bool can_count(const struct xp_evlist *evlist, const struct xp_evsel *evsel)
{
	if (evsel->tool != XP_TOOL_NONE || evsel->is_uncore || evsel->foreign)
		return false;
	return !xp_evlist_has_cgroups(evlist) || (evsel->cgroup && evsel->cgroup->fd >= 0);
}

/* With those events of the list. Returns 0 or -ENOMEM. */
static int new_counter(struct xp_evlist *evlist, enum xp_bpf_events which,
		       struct xp_bpf_counter **ret_counter)
{
	struct xp_bpf_counter *counter = calloc(1, sizeof(*counter));

	if (counter)
		counter->events =
			calloc((size_t)xp_evlist_nr(evlist) + 1, sizeof(*counter->events));
	if (!counter || !counter->events) {
		free(counter);
		return -ENOMEM;
	}
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if ((which == XP_BPF_ALL || evsel->wants_bpf) && can_count(evlist, evsel))
			counter->events[counter->nr_events++].evsel = evsel;
	}
	counter->offer = NONE;
	counter->list = (struct xp_list_counter){
		.open = open_counter,
		.enable = enable_counter,
		.disable = disable_counter,
		.update = update_counter,
		.read = read_counter,
		.close = close_counter,
		.free = free_counter,
	};
	*ret_counter = counter;
	return 0;
}

/* Gives the counter to the list. Returns the number of its events or -EBUSY. */
static int set_counter(struct xp_evlist *evlist, struct xp_bpf_counter *counter)
{
	int nr = counter->nr_events;
	int err = nr ? xp_evlist_set_counter(evlist, &counter->list) : 0;

	for (int i = 0; !err && i < nr; i++)
		counter->events[i].evsel->by_bpf = true;
	if (err || !nr)
		free_counter(&counter->list);
	return err ? err : nr;
}

int xp_bpf_count_events(struct xp_evlist *evlist, enum xp_bpf_events which)
{
	struct xp_bpf_counter *counter;
	int err = new_counter(evlist, which, &counter);

	return err ? err : set_counter(evlist, counter);
}

int xp_bpf_count_programs(struct xp_evlist *evlist, const uint32_t *ids, int nr_ids,
			  struct xp_diag *diag)
{
	struct xp_bpf_counter *counter;
	int err = xp_bpf_check_for_programs(evlist, diag);

	if (err)
		return err;
	err = new_counter(evlist, XP_BPF_ALL, &counter);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	counter->programs = calloc((size_t)nr_ids + 1, sizeof(*ids));
	if (!counter->programs) {
		free_counter(&counter->list);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	memcpy(counter->programs, ids, (size_t)nr_ids * sizeof(*ids));
	counter->nr_programs = nr_ids;
	err = set_counter(evlist, counter);
	return err < 0 ? xp_diag_set(diag, err, "The events are open, or counted by BPF already")
		       : err;
}
