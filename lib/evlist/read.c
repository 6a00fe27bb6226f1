/* SPDX-License-Identifier: MIT */
/*
 * Reading and switching a list: one read() per group, CPU and thread.
 * Source of the layout: linux/perf_event.h, struct read_format with XP_FORMAT_GROUP.
 */
#include <errno.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "alone.h"
#include "list-impl.h"
#include "uapi.h"

/*
 * Reading a group on another CPU costs an interrupt there, some 13 us; moving there and back
 * some 90 us, whatever is read (measured, Linux 6.18, virtual machine). So move from here on.
 */
enum { GROUPS_WORTH_A_HOP = 7 };

/* Up to 1.6 s in all. */
enum { PAUSES_OF_READING = 14 };

/*
 * A child that is just ending has given up part of its group, and reading its parent says ECHILD
 * (Linux 6.6) until it has given up the rest: a moment, unless the group was torn from the start.
 * On a machine with more to do than CPUs the child may have to wait for its turn, so each pause is
 * twice the one before.
 */
static ssize_t read_stable(struct xp_evlist *evlist, int fd, size_t bytes, int nr_pauses)
{
	enum { PAUSE_NS = 100000 };
	const struct xp_sys *sys = evlist->ctx->sys;
	ssize_t n = sys->read(sys, fd, evlist->read_buf, bytes);

	for (int try = 0; n == -ECHILD && try < nr_pauses; try++) {
		sys->poll(sys, NULL, 0, (int64_t)PAUSE_NS << try);
		n = sys->read(sys, fd, evlist->read_buf, bytes);
	}
	return n;
}

int xp_group_read(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
		  int thread_idx, int nr_pauses)
{
	int fd = xp_evsel_fd(group->members[0], cpu_idx, thread_idx);
	size_t bytes = (3 + 2 * (size_t)group->nr) * sizeof(uint64_t);

	if (fd < 0)
		return 0;
	ssize_t n = read_stable(evlist, fd, bytes, nr_pauses);
	if (n <= 0)
		return (int)n;
	if ((size_t)n != bytes || evlist->read_buf[0] != (uint64_t)group->nr)
		return -EBADMSG;
	return group->nr;
}

/*
 * When a CPU goes offline, its groups are taken apart and stopped (measured, Linux 5.10, 6.12 and
 * 7.2). The leader still gives its own count; before 7.2 a member reads as the leader does, so
 * that its count since the last reading is lost. Some want room for the whole group even then.
 */
static int read_apart(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
		      int thread_idx, struct xp_counts *counts)
{
	enum { VALUE = 3, ID, WORDS };
	const struct xp_sys *sys = evlist->ctx->sys;
	const uint64_t *buf = evlist->read_buf;

	for (int i = 0; i < group->nr; i++) {
		struct xp_evsel *evsel = group->members[i];
		int fd = xp_evsel_fd(evsel, cpu_idx, thread_idx);
		uint64_t id;
		int err = sys->ioctl(sys, fd, PERF_EVENT_IOC_ID, (unsigned long)&id);
		ssize_t n = sys->read(sys, fd, evlist->read_buf, evlist->read_buf_bytes);

		if (err < 0 || n < 0)
			return err < 0 ? err : (int)n;
		if ((size_t)n < WORDS * sizeof(*buf) || buf[0] != 1)
			return -EBADMSG;
		if (buf[ID] == id)
			*xp_counts_at(counts, evsel->index, cpu_idx, thread_idx) =
				(struct xp_count){ .value = buf[VALUE],
						   .enabled_ns = buf[1],
						   .running_ns = buf[2] };
		else
			xp_evsel_set_reason(
				evsel,
				"CPU %d went offline, and its counts since the last reading are "
				"lost",
				xp_cpus_at(evlist->cpus, cpu_idx).nr);
	}
	return 0;
}

static int read_group(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
		      int thread_idx, struct xp_counts *counts)
{
	const uint64_t *buf = evlist->read_buf;
	int nr = xp_group_read(evlist, group, cpu_idx, thread_idx, PAUSES_OF_READING);

	if (nr == -EBADMSG)
		return read_apart(evlist, group, cpu_idx, thread_idx, counts);
	if (nr < 0)
		return nr;
	for (int i = 0; i < group->nr; i++) {
		struct xp_count *count =
			xp_counts_at(counts, group->members[i]->index, cpu_idx, thread_idx);

		*count = (struct xp_count){ 0 };
		if (nr)
			*count = (struct xp_count){ .value = buf[3 + 2 * i],
						    .enabled_ns = buf[1],
						    .running_ns = buf[2] };
	}
	return 0;
}

static int read_single(struct xp_evsel *evsel, int cpu_idx, int thread_idx,
		       struct xp_counts *counts)
{
	struct xp_count *count = xp_counts_at(counts, evsel->index, cpu_idx, thread_idx);
	int err = xp_evsel_read(evsel, cpu_idx, thread_idx, count);

	if (err)
		*count = (struct xp_count){ 0 };
	return err == -ENOTCONN || err == -ENODATA ? 0 : err;
}

int xp_group_read_counts(struct xp_evlist *evlist, const struct xp_read_group *group, int cpu_idx,
			 int thread_idx, struct xp_counts *counts)
{
	/* A kernel may not give groups at once (missing.c): then one by one. */
	if (group->nr && (group->members[0]->attr.read_format & XP_FORMAT_GROUP))
		return read_group(evlist, group, cpu_idx, thread_idx, counts);
	for (int i = 0; i < group->nr; i++) {
		int err = read_single(group->members[i], cpu_idx, thread_idx, counts);

		if (err)
			return err;
	}
	return 0;
}

static int read_cpu(struct xp_evlist *evlist, int cpu_idx, struct xp_counts *counts)
{
	int err = 0;

	for (int g = 0; g < evlist->nr_groups && !err; g++)
		for (int t = 0; t < xp_threads_nr(evlist->threads) && !err; t++)
			err = xp_group_read_counts(evlist, &evlist->groups[g], cpu_idx, t, counts);
	return err;
}

static void add_count(struct xp_count *to, const struct xp_count *from)
{
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
	to->lost += from->lost;
}

/* Adds the cells of one CPU in @from to those in @to. */
static void add_cpu(const struct xp_evlist *evlist, int cpu_idx, struct xp_counts *to,
		    const struct xp_counts *from)
{
	for (int i = 0; i < evlist->nr; i++)
		for (int t = 0; t < xp_threads_nr(evlist->threads); t++)
			add_count(xp_counts_at(to, i, cpu_idx, t),
				  xp_counts_at(from, i, cpu_idx, t));
}

int xp_evlist_add_cpu(struct xp_evlist *evlist, int cpu_idx, struct xp_counts *counts)
{
	struct xp_counts *now = NULL;
	int err = xp_counts_new(evlist->nr, xp_counts_nr_cpus(counts), xp_counts_nr_threads(counts),
				&now)
			  ?: read_cpu(evlist, cpu_idx, now);
	if (!err)
		add_cpu(evlist, cpu_idx, counts, now);
	xp_counts_free(now);
	return err;
}

static uint64_t tool_value(const struct xp_evsel *evsel, const struct xp_tool_times *tool)
{
	switch (evsel->tool) {
	case XP_TOOL_DURATION_TIME:
		return tool->duration_ns;
	case XP_TOOL_USER_TIME:
		return tool->user_ns;
	case XP_TOOL_SYSTEM_TIME:
		return tool->system_ns;
	default:
		return evsel->tool_value;
	}
}

/* Why a tool event cannot be read now. Returns NULL if it can. */
static const char *why_unknown(const struct xp_evsel *evsel, const struct xp_tool_times *tool)
{
	bool is_of_targets = !evsel->snapshot && evsel->tool != XP_TOOL_DURATION_TIME;

	if (is_of_targets && tool->no_times)
		return "the times of the measured tasks or CPUs can no longer be read";
	if (evsel->tool == XP_TOOL_MAX_RSS && !evsel->tool_value)
		return "it is known of a command that has ended, and has needed more memory than "
		       "the program that measures it";
	return NULL;
}

static void read_tools(const struct xp_evlist *evlist, const struct xp_tool_times *times,
		       struct xp_counts *counts)
{
	static const struct xp_tool_times no_time;
	const struct xp_tool_times *tool = times ? times : &no_time;

	for (int i = 0; i < evlist->nr; i++) {
		struct xp_evsel *evsel = evlist->at[i];

		if (evsel->tool == XP_TOOL_NONE)
			continue;
		struct xp_count *count = xp_counts_at(counts, i, 0, 0);
		const char *unknown = why_unknown(evsel, tool);
		*count = (struct xp_count){ 0 };
		if (evsel->support == XP_NOT_SUPPORTED)
			continue;
		if (unknown) {
			count->enabled_ns = 1;
			xp_evsel_set_reason(evsel, "%s", unknown);
			continue;
		}
		/* perf shows the value of a time as the time it ran, and 1 for a snapshot. */
		count->value = tool_value(evsel, tool);
		count->enabled_ns = count->running_ns = evsel->snapshot ? 1 : count->value;
	}
}

void xp_evlist_set_max_rss(struct xp_evlist *evlist, uint64_t bytes)
{
	for (int i = 0; i < evlist->nr; i++) {
		if (evlist->at[i]->tool != XP_TOOL_MAX_RSS)
			continue;
		evlist->at[i]->tool_value = bytes;
		xp_evsel_forget_reason(evlist->at[i]);
	}
}

int xp_evlist_read(struct xp_evlist *evlist, const struct xp_tool_times *tool,
		   struct xp_counts *counts)
{
	const struct xp_sys *sys = evlist->ctx->sys;
	int nr_cpus = xp_cpus_nr(evlist->cpus);
	int err = 0;

	if (!xp_ctx_is_here(evlist->ctx))
		return -EPERM;
	if (!evlist->is_open)
		return -ENOTCONN;
	if (evlist->records)
		return -EOPNOTSUPP;
	if (xp_counts_nr_events(counts) != evlist->nr || xp_counts_nr_cpus(counts) != nr_cpus ||
	    xp_counts_nr_threads(counts) != xp_threads_nr(evlist->threads))
		return -EINVAL;

	uint64_t company_ns = xp_alone_read(evlist);
	bool hop = evlist->read_on_cpus && nr_cpus > 1 && evlist->nr_groups >= GROUPS_WORTH_A_HOP;
	for (int cpu = 0; cpu < nr_cpus && !err; cpu++) {
		/* Where we may not run, we read from afar. */
		if (hop)
			sys->run_on(sys, xp_cpus_at(evlist->cpus, cpu).nr);
		err = read_cpu(evlist, cpu, counts);
		if (!err && evlist->kept)
			add_cpu(evlist, cpu, counts, evlist->kept);
	}
	if (hop)
		sys->run_on(sys, -1);
	read_tools(evlist, tool, counts);
	if (!err && evlist->counter)
		err = evlist->counter->read(evlist->counter, evlist, counts);
	if (!err)
		xp_alone_hide(evlist, company_ns, counts);
	return err;
}

/* A leader carries its members: one ioctl per group, CPU and thread. */
static int switch_groups(struct xp_evlist *evlist, int (*fn)(struct xp_evsel *evsel))
{
	if (!xp_ctx_is_here(evlist->ctx))
		return -EPERM;
	if (!evlist->is_open)
		return -ENOTCONN;
	for (int g = 0; g < evlist->nr_groups; g++) {
		const struct xp_read_group *group = &evlist->groups[g];
		int err = group->nr ? fn(group->members[0]) : 0;

		if (err)
			return err;
	}
	return 0;
}

int xp_evlist_enable(struct xp_evlist *evlist)
{
	int err = switch_groups(evlist, xp_evsel_enable);

	if (!err && evlist->counter)
		err = evlist->counter->enable(evlist->counter);
	if (err)
		return err;
	evlist->is_enabled = true;
	xp_alone_enable(evlist);
	return 0;
}

int xp_evlist_disable(struct xp_evlist *evlist)
{
	int err = switch_groups(evlist, xp_evsel_disable);

	if (!err && evlist->counter)
		err = evlist->counter->disable(evlist->counter);
	if (!err)
		evlist->is_enabled = false;
	return err;
}
