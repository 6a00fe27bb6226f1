/* SPDX-License-Identifier: MIT */
/* Opening a list group by group, and closing it. */
#include "open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "alone.h"
#include "filter.h"
#include "list-impl.h"
#include "opts.h"
#include "probe.h"
#include "tools.h"
#include "uapi.h"

/* A group inherits as a whole. */
static bool can_inherit(const struct xp_read_group *group, const struct xp_open_opts *opts)
{
	bool follows = xp_threads_tid(opts->threads, 0) >= 0;

	for (int i = 0; i < group->nr; i++)
		if (!xp_probe_can_inherit(group->members[i], follows))
			return false;
	return true;
}

/* Members inherit as their leader does: the kernel refuses others. */
static bool wants_inherit(const struct xp_evsel *evsel, const struct xp_open_opts *opts)
{
	enum xp_choice inherit = evsel->leader->terms.inherit;

	return inherit == XP_UNSAID ? opts->inherit : inherit == XP_YES;
}

/* Counts are checked when they are read (alone.c); of samples it can only be said beforehand. */
static void mark_if_alone(struct xp_evsel *evsel, const struct xp_open_opts *opts,
			  const struct xp_read_group *group, bool records)
{
	evsel->alone = wants_inherit(evsel, opts) && xp_threads_tid(opts->threads, 0) >= 0 &&
		       !can_inherit(group, opts);
	if (evsel->alone && records)
		xp_evsel_set_reason(evsel, "not in threads and processes that start later, "
					   "because the kernel does not pass probes on to them; "
					   "open it on CPUs");
}

/* What perf sets on every counter. The identifier costs nothing where nothing is sampled. */
static void configure(struct xp_evsel *evsel, const struct xp_open_opts *opts, bool leads,
		      const struct xp_read_group *group, bool records)
{
	struct xp_attr *attr = &evsel->attr;

	if (records) {
		attr->inherit &= wants_inherit(evsel, opts) && can_inherit(group, opts);
		return;
	}

	attr->sample_type |= XP_SAMPLE_IDENTIFIER;
	attr->read_format = XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_TOTAL_TIME_RUNNING;
	if (group->nr > 1)
		attr->read_format |= XP_FORMAT_ID | XP_FORMAT_GROUP;
	attr->inherit = wants_inherit(evsel, opts) && can_inherit(group, opts);
	/* A member counts when its leader does. */
	attr->disabled = leads;
	attr->enable_on_exec = leads && opts->enable_on_exec;
}

static bool same_cpus(const struct xp_evsel *a, const struct xp_evsel *b)
{
	int nr = xp_cpus_nr(a->own_cpus);

	if (nr != xp_cpus_nr(b->own_cpus))
		return false;
	for (int i = 0; i < nr; i++)
		if (xp_cpus_at(a->own_cpus, i).nr != xp_cpus_at(b->own_cpus, i).nr)
			return false;
	return true;
}

/* On CPUs where a member cannot be, the others would have to go as well. */
static bool spans_cpus(const struct xp_read_group *group)
{
	for (int i = 1; i < group->nr; i++)
		if (!same_cpus(group->members[0], group->members[i]))
			return true;
	return false;
}

/* The kernel switches a group by the cgroup of its leader, and refuses members of another. */
static bool spans_cgroups(const struct xp_read_group *group)
{
	for (int i = 1; i < group->nr; i++)
		if (group->members[0]->cgroup != group->members[i]->cgroup)
			return true;
	return false;
}

/* Groups that cannot be one. */
static int break_spanning(struct xp_evlist *evlist, int group_idx)
{
	const struct xp_read_group *group = &evlist->groups[group_idx];
	const char *why = NULL;

	if (spans_cgroups(group))
		why = "not as a group, because its events have different cgroups";
	else if (xp_cpus_at(evlist->cpus, 0).nr >= 0 && spans_cpus(group))
		why = "not as a group, because its events are on different CPUs";
	for (int i = 0; why && i < group->nr; i++)
		xp_evsel_set_reason(group->members[i], "%s", why);
	return why ? xp_evlist_break_group(evlist, group_idx) : 0;
}

static void say_why_broken(const struct xp_read_group *group)
{
	for (int i = 0; i < group->nr; i++)
		xp_evsel_set_reason(group->members[i],
				    "not as a group, because it does not fit on the counters");
}

static void say_how_many_fit(struct xp_evsel *const *members, int nr, int fit)
{
	for (int i = 0; i < nr; i++)
		if (members[i]->too_many && !same_cpus(members[0], members[i]))
			xp_evsel_set_reason(members[i], "its group is on a PMU of other CPUs");
		else if (members[i]->too_many)
			xp_evsel_set_reason(members[i], "only %d of its group's %d events fit %s",
					    fit, nr, members[i]->too_many);
}

static void close_members(struct xp_evsel *const *members, int nr)
{
	for (int i = 0; i < nr; i++)
		xp_evsel_close(members[i]);
}

/*
 * Opens the members under the first that is supported, and keeps those that are.
 * Returns 0, 1 (a weak group does not fit: nothing is open), or a negative errno.
 */
static int open_group(struct xp_read_group *group, const struct xp_open_opts *opts, bool records,
		      struct xp_diag *diag)
{
	struct xp_open_args args = { .cpus = opts->cpus, .threads = opts->threads };
	int kept = 0;

	for (int i = 0; i < group->nr; i++) {
		struct xp_evsel *evsel = group->members[i];

		configure(evsel, opts, !kept, group, records);
		mark_if_alone(evsel, opts, group, records);
		int err = xp_evsel_open_with(evsel, &args, diag);
		if (err < 0)
			return err;
		if (err && group->weak && evsel->too_many) {
			evsel->support = XP_NOT_OPENED; /* not yet: it will be tried alone */
			close_members(group->members, i);
			return 1;
		}
		if (!err && !kept++)
			args.leader = evsel;
	}
	say_how_many_fit(group->members, group->nr, kept);

	int nr = group->nr;
	group->nr = 0;
	for (int i = 0; i < nr; i++)
		if (group->members[i]->support == XP_SUPPORTED)
			group->members[group->nr++] = group->members[i];
	return 0;
}

void xp_group_close_cell(const struct xp_read_group *group, int cell)
{
	for (int i = group->nr; i-- > 0;) {
		struct xp_evsel *evsel = group->members[i];

		if (evsel->fds[cell] >= 0)
			evsel->ctx->sys->close(evsel->ctx->sys, evsel->fds[cell]);
		evsel->fds[cell] = -1;
	}
}

/* A thread that ended while its group was being opened leaves an incomplete cell. */
static void drop_incomplete(const struct xp_read_group *group, int nr_cells)
{
	for (int cell = 0; cell < nr_cells; cell++)
		for (int i = 0; i < group->nr; i++)
			if (group->members[i]->fds[cell] < 0) {
				xp_group_close_cell(group, cell);
				break;
			}
}

void xp_group_reopen_cell(const struct xp_read_group *group, const struct xp_open_args *args,
			  int cpu_idx, int thread_idx)
{
	struct xp_open_args member = *args;
	int cell = cpu_idx * xp_threads_nr(args->threads) + thread_idx;

	xp_group_close_cell(group, cell);
	for (int i = 0; i < group->nr; i++) {
		struct xp_evsel *evsel = group->members[i];
		int fd = xp_evsel_open_cell(evsel, &member, cpu_idx, thread_idx);

		if (fd >= 0)
			evsel->fds[cell] = fd;
		if (fd < 0 || xp_filter_set(evsel, fd)) {
			xp_group_close_cell(group, cell);
			return;
		}
		member.leader = group->members[0];
	}
}

/*
 * A thread that forked between the opening of two members has a child with half a group, and
 * reading it says ECHILD for ever (Linux 6.6): found by a first reading, and opened again.
 */
static void mend_torn_groups(struct xp_evlist *evlist, const struct xp_read_group *group)
{
	struct xp_open_args args = { .cpus = evlist->cpus, .threads = evlist->threads };
	enum { TRIES = 8, PAUSES = 6 };

	for (int cpu = 0; cpu < xp_cpus_nr(args.cpus); cpu++)
		for (int thread = 0; thread < xp_threads_nr(args.threads); thread++)
			for (int try = 0; try < TRIES; try++) {
				if (xp_group_read(evlist, group, cpu, thread, PAUSES) != -ECHILD)
					break;
				xp_group_reopen_cell(group, &args, cpu, thread);
			}
}

static int make_read_buf(struct xp_evlist *evlist)
{
	int most = 1;

	for (int g = 0; g < evlist->nr_groups; g++)
		if (evlist->groups[g].nr > most)
			most = evlist->groups[g].nr;
	/* nr, enabled, running, and value and id of each member */
	evlist->read_buf_bytes = (3 + 2 * (size_t)most) * sizeof(*evlist->read_buf);
	evlist->read_buf = malloc(evlist->read_buf_bytes);
	return evlist->read_buf ? 0 : -ENOMEM;
}

static int open_groups(struct xp_evlist *evlist, const struct xp_open_opts *opts,
		       struct xp_diag *diag)
{
	int nr_cells = xp_cpus_nr(opts->cpus) * xp_threads_nr(opts->threads);
	int err = make_read_buf(evlist);

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	/* Groups that are broken up append themselves; their members are opened in their turn. */
	for (int g = 0; g < evlist->nr_groups; g++) {
		if (break_spanning(evlist, g))
			return xp_diag_set(diag, -ENOMEM, "Out of memory");
		err = open_group(&evlist->groups[g], opts, evlist->records, diag);
		if (err == 1) {
			say_why_broken(&evlist->groups[g]);
			err = xp_evlist_break_group(evlist, g--);
			if (err)
				return xp_diag_set(diag, err, "Out of memory");
			continue;
		}
		if (err)
			return err;

		const struct xp_read_group *group = &evlist->groups[g];
		drop_incomplete(group, nr_cells);
		if (group->nr > 1 && opts->inherit && !opts->enable_on_exec && !evlist->records)
			mend_torn_groups(evlist, group);
	}
	return 0;
}

/* perf_event_open(2), PERF_FLAG_PID_CGROUP: "monitoring is only available for system-wide". */
static int check_cgroups(const struct xp_evlist *evlist, const struct xp_open_opts *opts,
			 struct xp_diag *diag)
{
	if (!evlist->nr_cgroups ||
	    (xp_cpus_at(opts->cpus, 0).nr >= 0 && xp_threads_tid(opts->threads, 0) < 0))
		return 0;
	return xp_diag_set(diag, -EINVAL, "Events of cgroups are counted on CPUs, not in threads");
}

static void open_tool(const struct xp_evlist *evlist, struct xp_evsel *evsel)
{
	const struct xp_cpus *cpus = xp_evlist_counts_whole_cpus(evlist) ? evlist->cpus : NULL;
	const char *unknown = NULL;

	if (evsel->snapshot)
		unknown = xp_tool_read(evsel->ctx, evsel->tool, cpus, &evsel->tool_value);
	evsel->support = unknown ? XP_NOT_SUPPORTED : XP_SUPPORTED;
	if (unknown)
		xp_evsel_set_reason(evsel, "%s", unknown);
	else
		xp_evsel_forget_reason(evsel);
}

static int open_list(struct xp_evlist *evlist, const struct xp_open_opts *opts,
		     struct xp_diag *diag)
{
	struct xp_open_args args = { .cpus = opts->cpus, .threads = opts->threads };
	int err = check_cgroups(evlist, opts, diag) ?: xp_open_check_cells(&args, diag);

	if (err)
		return err;
	evlist->is_open = true;
	evlist->followed_tasks = xp_threads_tid(opts->threads, 0) >= 0;
	evlist->on_named_cpus = xp_cpus_at(opts->cpus, 0).nr >= 0;
	evlist->cpus = xp_cpus_ref(opts->cpus);
	evlist->threads = xp_threads_ref(opts->threads);
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->tool != XP_TOOL_NONE)
			open_tool(evlist, evlist->at[i]);

	err = xp_evlist_plan_groups(evlist, opts->join_software);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = open_groups(evlist, opts, diag);
	if (err || evlist->records)
		return err;
	err = xp_alone_open(evlist, opts->enable_on_exec);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	return evlist->counter ? evlist->counter->open(evlist->counter, evlist, opts, diag) : 0;
}

int xp_evlist_open_as(struct xp_evlist *evlist, const struct xp_open_opts *opts, bool records,
		      struct xp_diag *diag)
{
	struct xp_open_opts o = { 0 };
	struct xp_cpus *default_cpus = NULL;
	struct xp_threads *any_thread = NULL;
	int err = XP_OPTS_COPY(&o, opts, struct xp_open_opts, join_software, diag);

	if (err)
		return err;
	if (evlist->is_open)
		return xp_diag_set(diag, -EALREADY, "The events are open");
	evlist->on_all_cpus = !o.cpus && !o.threads;
	if (evlist->on_all_cpus)
		err = xp_cpus_online(evlist->ctx, &default_cpus, diag);
	else if (!o.cpus)
		err = xp_cpus_any(&default_cpus);
	if (err)
		return evlist->on_all_cpus ? err : xp_diag_set(diag, err, "Out of memory");
	if (!o.threads)
		err = xp_threads_any(&any_thread);
	if (default_cpus)
		o.cpus = default_cpus;
	if (any_thread)
		o.threads = any_thread;
	evlist->records = records;
	evlist->read_on_cpus = o.read_on_cpus;
	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		err = open_list(evlist, &o, diag);
	if (err)
		xp_evlist_close(evlist);
	xp_cpus_unref(default_cpus);
	xp_threads_unref(any_thread);
	return err;
}

int xp_evlist_open(struct xp_evlist *evlist, const struct xp_open_opts *opts, struct xp_diag *diag)
{
	return xp_evlist_open_as(evlist, opts, false, diag);
}

void xp_evlist_close(struct xp_evlist *evlist)
{
	if (!evlist->is_open)
		return;
	xp_evlist_unmap_rings(evlist);
	if (evlist->counter)
		evlist->counter->close(evlist->counter);
	xp_alone_close(evlist);
	xp_evlist_forget_updates(evlist);
	/* Members before leaders: closing a leader makes the kernel split its group up. */
	for (int i = evlist->nr; i-- > 0;)
		xp_evsel_close(evlist->at[i]);
	xp_evlist_free_groups(evlist);
	free(evlist->read_buf);
	evlist->read_buf = NULL;
	xp_cpus_unref(evlist->cpus);
	xp_threads_unref(evlist->threads);
	evlist->cpus = NULL;
	evlist->threads = NULL;
	evlist->is_open = false;
	evlist->is_enabled = false;
}

/* A name in tracefs is removed after the last close, so that one is waited for. */
static bool closes_slowly(const struct xp_evsel *evsel)
{
	return (evsel->attr.type == XP_TYPE_TRACEPOINT || evsel->probe) && evsel->fds &&
	       !evsel->named_id;
}

/* Moves all descriptors into @fds; returns how many. */
static size_t move_fds(struct xp_evlist *evlist, int *fds)
{
	int nr_cells = xp_cpus_nr(evlist->cpus) * xp_threads_nr(evlist->threads);
	size_t nr = 0;

	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];

		for (int cell = 0; evsel->fds && !evsel->named_id && cell < nr_cells; cell++) {
			if (evsel->fds[cell] >= 0)
				fds[nr++] = evsel->fds[cell];
			evsel->fds[cell] = -1;
		}
	}
	return nr;
}

void xp_evlist_close_behind(struct xp_evlist *evlist)
{
	bool slow = false;

	for (int i = 0; evlist->is_open && i < evlist->nr && !slow; i++)
		slow = closes_slowly(evlist->at[i]);
	if (slow) {
		size_t room = (size_t)evlist->nr * (size_t)xp_cpus_nr(evlist->cpus) *
			      (size_t)xp_threads_nr(evlist->threads);
		int *fds = calloc(room, sizeof(*fds));

		if (fds)
			evlist->ctx->sys->close_behind(evlist->ctx->sys, fds,
						       move_fds(evlist, fds));
		free(fds);
	}
	xp_evlist_close(evlist);
}
