/* SPDX-License-Identifier: MIT */
/*
 * --sched: the scheduler's tracepoints are written where a task leaves its CPU, and where another
 * task wakes it, so they are recorded of all tasks. Who may not do that records context switches of
 * the target.
 */
#include "sched-events.h"

#include <stdio.h>
#include <xperf/attr.h>
#include <xperf/ctx.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>
#include <xperf/sys.h>
#include <xperf/tracepoint.h>

const char *sched_contradiction(const struct record_config *config)
{
	uint64_t flags = config->sampling.flags;

	if (!config->sched)
		return NULL;
	if (flags & XP_SAMPLING_NO_TIME)
		return "--sched needs the time of samples: leave out --no-timestamp";
	if (flags & XP_SAMPLING_OVERWRITE)
		return "--sched follows all switches, --overwrite keeps the last ones: choose one";
	if (config->sums_ns)
		return "--bpf sums samples, --sched follows each switch: choose one";
	if (config->off_cpu)
		return "--off-cpu replaces the switches that --sched records: choose one";
	return NULL;
}

/* Whether the tracepoints may be opened on a CPU. */
static bool may_watch(struct xp_ctx *ctx)
{
	const struct xp_sys *sys = xp_ctx_sys(ctx);
	struct xp_tracepoint *switches;

	if (xp_tracepoint_new(ctx, "sched", "sched_switch", &switches, NULL))
		return false;
	const struct xp_attr attr = {
		.type = XP_TYPE_TRACEPOINT,
		.config = switches->id,
		.size = sizeof(attr),
		.sample_type = XP_SAMPLE_RAW,
		.sample_period = 1,
		.disabled = 1,
	};
	int fd = sys->perf_event_open(sys, &attr, -1, 0, -1, 0);
	if (fd >= 0)
		sys->close(sys, fd);
	xp_tracepoint_free(switches);
	return fd >= 0;
}

static int add_tracepoints(struct xp_evlist *evlist, struct xp_diag *diag)
{
	static const char *const events[] = {
		"sched:sched_switch/period=1/",
		"sched:sched_waking/call-graph=no,period=1/",
		"sched:sched_wakeup_new/call-graph=no,period=1/",
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++)
		err = xp_evlist_parse(evlist, events[i], diag);
	return err;
}

int sched_add(struct xp_ctx *ctx, struct record_config *config, struct xp_evlist *evlist,
	      struct xp_diag *diag)
{
	bool are_named = target_names_tasks(&config->target);
	bool kernel = !(config->sampling.flags & XP_SAMPLING_ALL_USER);

	if (!config->sched)
		return 0;
	if (!are_named && kernel && may_watch(ctx)) {
		if (!config->target.cpu_list)
			record_config_watch_all(config);
		return add_tracepoints(evlist, diag);
	}
	config->sampling.flags |= XP_SAMPLING_SWITCHES | XP_SAMPLING_TIME | XP_SAMPLING_CPU;
	if (!config->quiet)
		fprintf(stderr,
			"Note: only context switches are recorded%s: the report shows how long tasks "
			"ran, not why they waited or who woke them\n",
			are_named ? ", as wake-ups by other tasks need -a"
				  : ", as tracepoints of all tasks need root and tracefs");
	return xp_evlist_parse(evlist, "dummy/period=1,name=sched-switches/u", diag);
}
