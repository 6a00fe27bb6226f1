/* SPDX-License-Identifier: MIT */
/*
 * Asks the kernel whether an event can be opened here: it is opened as for counting, with the same
 * retries, and closed.
 */
#include "openable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "cleanup.h"
#include "host.h"
#include "list-impl.h"
#include "pmus.h"
#include "str.h"
#include "uapi.h"

static void XP_PRINTF(3, 4)
	decide(struct xp_verdict *verdict, enum xp_event_state state, const char *fmt, ...)
{
	va_list ap;

	verdict->state = state;
	va_start(ap, fmt);
	vsnprintf(verdict->reason, sizeof(verdict->reason), fmt, ap);
	va_end(ap);
}

/* An event the kernel would count in user space only is there, but not for this user. */
static bool opens_in_user_space(const struct xp_evsel *evsel)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	struct xp_attr attr = evsel->attr;

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	int fd = sys->perf_event_open(sys, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return false;
	sys->close(sys, fd);
	return true;
}

/* Opening had to leave out the kernel, which PMUs beside the core's cannot do. */
static bool counts_the_kernel(const struct xp_evsel *evsel)
{
	return evsel->attr.exclude_kernel && evsel->attr.type > XP_TYPE_BREAKPOINT;
}

static void decide_opened(const struct xp_evsel *evsel, struct xp_verdict *verdict)
{
	const char *reason = xp_evsel_reason(evsel);

	if (evsel->support == XP_SUPPORTED)
		decide(verdict, XP_EVENT_OPENS, "%s", reason);
	else if (counts_the_kernel(evsel))
		decide(verdict, XP_EVENT_FORBIDDEN,
		       "it also counts the kernel, which perf_event_paranoid=%d does not allow",
		       xp_host_paranoid(evsel->ctx));
	else
		decide(verdict, opens_in_user_space(evsel) ? XP_EVENT_FORBIDDEN : XP_EVENT_ABSENT,
		       "%s", reason);
}

static void decide_failed(struct xp_ctx *ctx, int err, struct xp_verdict *verdict)
{
	bool is_forbidden = err == -EACCES || err == -EPERM;

	if (!is_forbidden && err != -EBUSY)
		decide(verdict, XP_EVENT_ABSENT, "perf_event_open failed: %s", strerror(-err));
	else if (!is_forbidden)
		decide(verdict, XP_EVENT_FORBIDDEN, "the PMU is in use by another program");
	else if (xp_host_filter_refuses(ctx))
		decide(verdict, XP_EVENT_FORBIDDEN, "a seccomp filter");
	else
		decide(verdict, XP_EVENT_FORBIDDEN, "perf_event_paranoid=%d",
		       xp_host_paranoid(ctx));
}

/* @cpu -1: on this process. */
static int open_on(struct xp_evlist *evlist, int cpu)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%d", cpu);
	if (cpu < 0)
		err = xp_threads_one(evlist->ctx, 0, &opts.threads);
	else
		err = xp_cpus_parse(text, &opts.cpus, NULL);
	if (!err)
		err = xp_evlist_open(evlist, &opts, NULL);
	xp_threads_unref(opts.threads);
	xp_cpus_unref(opts.cpus);
	return err;
}

/* Opens and closes the one event of a list. */
static void ask(struct xp_evlist *evlist, int cpu, struct xp_verdict *ret)
{
	struct xp_ctx *ctx = evlist->ctx;
	int err = open_on(evlist, cpu);

	if (err)
		decide_failed(ctx, err, ret);
	else
		decide_opened(evlist->at[0], ret);
}

void xp_openable_attr(struct xp_ctx *ctx, const struct xp_attr *attr, struct xp_verdict *ret)
{
	struct xp_evlist *evlist = NULL;
	struct xp_evsel *evsel = NULL;
	int err = xp_evlist_new(ctx, &evlist)
			  ?: xp_evsel_new(ctx, attr, "", &evsel)
			  ?: xp_evlist_add(evlist, evsel);

	if (err) {
		xp_evsel_free(evsel);
		decide_failed(ctx, err, ret);
	} else {
		ask(evlist, -1, ret);
	}
	xp_evlist_free(evlist);
}

bool xp_openable_event(struct xp_ctx *ctx, const char *text, int cpu, struct xp_verdict *ret)
{
	struct xp_evlist *evlist = NULL;
	struct xp_diag diag = { 0 };
	int err = xp_evlist_new(ctx, &evlist) ?: xp_evlist_parse(evlist, text, &diag);

	if (!err)
		ask(evlist, cpu, ret);
	else if (diag.what[0])
		decide(ret, XP_EVENT_ABSENT, "%s", diag.what);
	else
		decide_failed(ctx, err, ret);
	xp_evlist_free(evlist);
	return !err;
}

void xp_openable_pmu_event(struct xp_ctx *ctx, const char *pmu, const char *event,
			   struct xp_verdict *ret)
{
	struct xp_str name = { 0 };
	const struct xp_pmu *found = xp_pmus_find(ctx, pmu, strlen(pmu));
	int cpu = found && found->is_uncore && found->cpus ? xp_cpus_at(found->cpus, 0).nr : -1;

	xp_str_addf(&name, "%s/%s/", pmu, event);
	xp_auto_free char *text = xp_str_detach(&name);
	if (text)
		xp_openable_event(ctx, text, cpu, ret);
	else
		decide_failed(ctx, -ENOMEM, ret);
}
