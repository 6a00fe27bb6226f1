/* SPDX-License-Identifier: MIT */
/*
 * The ladder's rungs for descriptors that run out. If the context may raise limits, the soft limit
 * of open files is raised to the hard one, then the hard one, by who may, up to what the kernel
 * bears (fs.nr_open).
 *
 * Source: getrlimit(2), RLIMIT_NOFILE; perf_event_open(2), EMFILE.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "ladder.h"

/* What it was before is kept for workloads. Returns 0 or why it cannot be. */
static int set_limit(struct xp_ctx *ctx, const struct rlimit *limit)
{
	struct rlimit old;
	int err = ctx->sys->rlimit(ctx->sys, 0, RLIMIT_NOFILE, limit, &old);

	if (!err && !ctx->nofile_raised) {
		ctx->nofile = old;
		ctx->nofile_raised = true;
	}
	return err;
}

static enum xp_step raise_soft_limit(const struct xp_refusal *r)
{
	struct xp_ctx *ctx = r->evsel->ctx;
	struct rlimit limit;

	if (!ctx->raise_limits || ctx->sys->rlimit(ctx->sys, 0, RLIMIT_NOFILE, NULL, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return XP_STEP_NEXT;
	limit.rlim_cur = limit.rlim_max;
	int err = set_limit(ctx, &limit);
	if (!err)
		return XP_STEP_AGAIN;
	xp_diag_set(r->diag, r->err, "The limit of open files cannot be raised: %s",
		    strerror(-err));
	return XP_STEP_FAIL;
}

/* Who may raise the hard limit does, up to what the kernel bears (fs.nr_open). */
static enum xp_step raise_hard_limit(const struct xp_refusal *r)
{
	struct xp_ctx *ctx = r->evsel->ctx;
	struct rlimit limit;

	if (!ctx->raise_limits || ctx->sys->rlimit(ctx->sys, 0, RLIMIT_NOFILE, NULL, &limit) ||
	    limit.rlim_max > RLIM_INFINITY / 2)
		return XP_STEP_NEXT;
	limit.rlim_max = limit.rlim_cur = limit.rlim_max * 2;
	return set_limit(ctx, &limit) ? XP_STEP_NEXT : XP_STEP_AGAIN;
}

static enum xp_step fail_limit(const struct xp_refusal *r)
{
	int nr_cpus = xp_cpus_nr(r->args->cpus), nr_threads = xp_threads_nr(r->args->threads);
	const char *of = nr_threads == 1 ? "CPUs"
			 : nr_cpus == 1  ? "threads"
					 : "pairs of CPU and thread";

	if (nr_cpus * nr_threads == 1)
		xp_diag_set(r->diag, r->err, "Too many open files: %s needs one more descriptor",
			    r->evsel->name);
	else
		xp_diag_set(r->diag, r->err,
			    "Too many open files: %s needs one descriptor for "
			    "each of %d %s",
			    r->evsel->name, nr_cpus * nr_threads, of);
	xp_diag_hint(r->diag, "Raise the limit with `ulimit -n`, or count fewer events or threads");
	return XP_STEP_FAIL;
}

const struct xp_rung xp_limit_rungs[] = {
	{ { EMFILE }, raise_soft_limit },
	{ { EMFILE }, raise_hard_limit },
	{ { EMFILE }, fail_limit },
	{ .step = NULL },
};
