/* SPDX-License-Identifier: MIT */
/* The resident size of the workload, as wait4(2) has it: a process that was never larger than the
 * one that made it has the size of that one. */
#include "rss.h"

#include <signal.h>
#include <xperf/diag.h>

uint64_t stat_least_rss_bytes(struct xp_ctx *ctx)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct xp_diag unheard = { 0 };
	struct xp_workload *workload;
	struct rusage usage = { 0 };
	struct xp_exit end;

	if (xp_workload_prepare(ctx, argv, &workload, &unheard))
		return 0;
	xp_workload_kill(workload, SIGKILL);
	xp_workload_wait(workload, true, &end);
	xp_workload_usage(workload, &usage);
	xp_workload_free(workload);
	/* This process may grow a little from here on. */
	return (uint64_t)usage.ru_maxrss * 1024 / 8 * 9;
}

uint64_t stat_max_rss_bytes(const struct stat_job *job)
{
	struct rusage usage;
	uint64_t bytes;

	if (!stat_follows_workload(job) || !job->session.ended ||
	    xp_workload_usage(job->session.workload, &usage))
		return 0;
	bytes = (uint64_t)usage.ru_maxrss * 1024;
	return bytes > job->least_rss_bytes ? bytes : 0;
}
