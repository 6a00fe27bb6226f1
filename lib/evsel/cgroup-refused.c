/* SPDX-License-Identifier: MIT */
/* The ladder's rung for events of cgroups: what about the cgroup makes the kernel refuse them. */
#include <errno.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "cgroup.h"
#include "ladder.h"
#include "uapi.h"

static bool cgroup_is_why(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;
	struct xp_evsel for_all = *r->evsel;
	struct xp_open_args alone = *r->args;

	if (!for_all.cgroup || for_all.cgroup->fd < 0)
		return false;
	for_all.cgroup = NULL;
	alone.leader = NULL;
	int fd = xp_evsel_open_cell(&for_all, &alone, r->cpu_idx, r->thread_idx);
	if (fd < 0)
		return false;
	sys->close(sys, fd);
	return true;
}

/* Measured: so it is where version 2 is mounted and nothing was ever switched on in it. */
static enum xp_step fail_without_controller(const struct xp_refusal *r)
{
	xp_diag_set(r->diag, r->err,
		    "The cgroup '%s' cannot be counted: it does not have the perf_event controller",
		    r->evsel->cgroup->name);
	xp_diag_hint(r->diag,
		     "Enable any controller, and perf_event comes with it: echo +cpu > "
		     "%s/cgroup.subtree_control",
		     xp_cgroups_path(r->evsel->ctx));
	return XP_STEP_FAIL;
}

enum xp_step xp_cgroup_refused(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;

	if (!cgroup_is_why(r))
		return XP_STEP_NEXT;
	const char *name = r->evsel->cgroup->name;
	if (r->err == -EINVAL) {
		xp_evsel_set_reason(r->evsel, "its PMU does not distinguish tasks or cgroups");
		return XP_STEP_UNSUPPORTED;
	}
	int fd = xp_cgroup_open_dir(r->evsel->ctx, name);
	if (fd >= 0) {
		sys->close(sys, fd);
		return fail_without_controller(r);
	}
	xp_evsel_set_reason(r->evsel, "the cgroup '%s' no longer exists", name);
	return XP_STEP_UNSUPPORTED;
}
