/* SPDX-License-Identifier: MIT */
/*
 * Filters of tracepoints and probes, from the user to the kernel; and programs that see samples.
 *
 * Source: perf_event_open(2), PERF_EVENT_IOC_SET_FILTER; that probes take filters, too, by the
 * fields every tracepoint has, and that a second filter of the same event is refused with EEXIST:
 * measured, Linux 6.18.
 */
#include "filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/tracepoint.h>

#include "str.h"
#include "tracefs.h"
#include "uapi.h"

const char *xp_evsel_filter(const struct xp_evsel *evsel)
{
	return evsel->filter ? evsel->filter : "";
}

/* The old and the new together, the caller's; NULL on out of memory. */
static char *joined(const char *old, const char *filter)
{
	struct xp_str both = { 0 };

	if (!old)
		return strdup(filter);
	xp_str_addf(&both, "(%s) && (%s)", old, filter);
	return xp_str_detach(&both);
}

int xp_filter_is_possible(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	if (evsel->fds)
		return xp_diag_set(diag, -EBUSY, "%s is open", evsel->name);
	if (evsel->attr.type != XP_TYPE_TRACEPOINT && !evsel->probe)
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "%s cannot be filtered: it is neither a tracepoint nor a probe",
				   evsel->name);
	return 0;
}

int xp_filter_keep(struct xp_evsel *evsel, const char *filter)
{
	char *all = joined(evsel->filter, filter);

	if (!all)
		return -ENOMEM;
	free(evsel->filter);
	evsel->filter = all;
	return 0;
}

int xp_evsel_exclude_self(struct xp_evsel *evsel, struct xp_diag *diag)
{
	int err = xp_filter_is_possible(evsel, diag);

	if (!err)
		evsel->exclude_self = true;
	return err;
}

/* Adds the condition for all threads there are. What a tracepoint calls common_pid is a thread. */
static int add_own_threads(struct xp_evsel *evsel)
{
	struct xp_threads *threads = NULL;
	struct xp_str others = { 0 };
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	/* Where they cannot be listed there is one at least. */
	bool listed = !xp_threads_of_processes(evsel->ctx, pid, &threads, NULL);
	xp_str_addf(&others, "common_pid != %s", pid);
	for (int i = 0; listed && i < xp_threads_nr(threads); i++)
		if (xp_threads_tid(threads, i) != getpid())
			xp_str_addf(&others, " && common_pid != %d",
				    (int)xp_threads_tid(threads, i));
	xp_threads_unref(threads);
	char *all = others.failed ? NULL : joined(evsel->filter, others.s);
	xp_str_fini(&others);
	if (!all)
		return -ENOMEM;
	free(evsel->filter);
	evsel->filter = all;
	evsel->exclude_self = false;
	return 0;
}

int xp_filter_set(const struct xp_evsel *evsel, int fd)
{
	const struct xp_sys *sys = evsel->ctx->sys;

	if (evsel->has_program)
		return sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_BPF,
				  (unsigned long)evsel->program_fd);
	if (!evsel->filter)
		return 0;
	return sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)evsel->filter);
}

/* Field names that could not be checked before are the likely cause. */
static void hint_at_fields(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	const char *tracefs = xp_tracefs_path(evsel->ctx);
	const char *colon = evsel->tracepoint ? strchr(evsel->tracepoint, ':') : NULL;

	if (colon && tracefs)
		xp_diag_hint(diag, "%s/events/%.*s/%s/format lists its fields", tracefs,
			     (int)(colon - evsel->tracepoint), evsel->tracepoint, colon + 1);
}

/* EPERM, ENOENT and ESRCH are what the kernel says to unbalanced parentheses and quotes (measured,
 * Linux 6.18). */
static int refused(const struct xp_evsel *evsel, int err, struct xp_diag *diag)
{
	bool is_syntax = err == -EINVAL || err == -EPERM || err == -ENOENT || err == -ESRCH;

	xp_diag_set(diag, err, "the kernel rejects this filter for %s%s%s", evsel->name,
		    is_syntax ? "" : ": ", is_syntax ? "" : strerror(-err));
	xp_diag_at(diag, evsel->filter, 0, (int)strlen(evsel->filter));
	if (is_syntax)
		hint_at_fields(evsel, diag);
	return err;
}

/* EPROTO: a program asks for more of a precise event's stack than its samples have. */
static int program_refused(const struct xp_evsel *evsel, int err, struct xp_diag *diag)
{
	xp_diag_set(diag, err, "the kernel lets no BPF program see the samples of %s: %s",
		    evsel->name, strerror(-err));
	if (err == -EPROTO)
		xp_diag_hint(diag, "Leave out its modifier 'p', or record the whole call chain");
	return err;
}

static int set_all(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	int nr = xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads);
	bool any = evsel->filter || evsel->has_program;

	for (int i = 0; any && i < nr; i++) {
		int err = evsel->fds[i] < 0 ? 0 : xp_filter_set(evsel, evsel->fds[i]);

		if (err < 0)
			return evsel->has_program ? program_refused(evsel, err, diag)
						  : refused(evsel, err, diag);
	}
	return 0;
}

int xp_filter_set_all(struct xp_evsel *evsel, struct xp_diag *diag)
{
	/* What reads the samples may have threads that do not exist yet. */
	if (evsel->exclude_self && evsel->attr.sample_period)
		return 0;
	int err = evsel->exclude_self ? add_own_threads(evsel) : 0;
	return err ? xp_diag_set(diag, err, "Out of memory") : set_all(evsel, diag);
}

int xp_filter_exclude_self(struct xp_evsel *evsel, struct xp_diag *diag)
{
	if (!evsel->exclude_self || !evsel->fds)
		return 0;
	int err = add_own_threads(evsel);
	return err ? xp_diag_set(diag, err, "Out of memory") : set_all(evsel, diag);
}
