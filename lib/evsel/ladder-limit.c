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

#include "ladder.h"

static bool limit_can_rise(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;
	struct rlimit now;

	return r->evsel->ctx->raise_limits && !sys->rlimit(sys, 0, RLIMIT_NOFILE, NULL, &now) &&
	       now.rlim_cur < now.rlim_max;
}

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

static enum xp_step raise_limit(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;
	struct rlimit limit;
	int err = sys->rlimit(sys, 0, RLIMIT_NOFILE, NULL, &limit);
	limit.rlim_cur = limit.rlim_max;
	if (!err)
		err = set_limit(r->evsel->ctx, &limit);
	if (!err)
		return XP_STEP_AGAIN;
	xp_diag_set(r->diag, r->err, "The limit of open files cannot be raised: %s",
		    strerror(-err));
	return XP_STEP_FAIL;
}

/* Who may raise the hard limit does, up to what the kernel bears (fs.nr_open). */
static bool hard_limit_rises(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;
	struct rlimit limit;

	if (!r->evsel->ctx->raise_limits || sys->rlimit(sys, 0, RLIMIT_NOFILE, NULL, &limit) ||
	    limit.rlim_max > RLIM_INFINITY / 2)
		return false;
	limit.rlim_max = limit.rlim_cur = limit.rlim_max * 2;
	return !set_limit(r->evsel->ctx, &limit);
}

/* The condition has done it. */
static enum xp_step try_again(const struct xp_refusal *r)
{
	(void)r;
	return XP_STEP_AGAIN;
}

static enum xp_step fail_limit(const struct xp_refusal *r)
{
	int nr_cpus = xp_cpus_nr(r->args->cpus), nr_threads = xp_threads_nr(r->args->threads);
	const char *of = nr_threads == 1 ? "CPUs"
			 : nr_cpus == 1  ? "threads"
					 : "pairs of CPU and thread";

	if (nr_cpus * nr_threads == 1)
		xp_diag_set(r->diag, r->err, "Too many open files: %s needs one more",
			    r->evsel->name);
	else
		xp_diag_set(r->diag, r->err, "Too many open files: %s needs one for each of %d %s",
			    r->evsel->name, nr_cpus * nr_threads, of);
	xp_diag_hint(r->diag, "Raise the limit with `ulimit -n`, or count fewer events or threads");
	return XP_STEP_FAIL;
}

static bool always(const struct xp_refusal *r)
{
	(void)r;
	return true;
}

const struct xp_rung xp_limit_rungs[] = {
	{ EMFILE, limit_can_rise, raise_limit },
	{ EMFILE, hard_limit_rises, try_again },
	{ EMFILE, always, fail_limit },
	{ 0 },
};
