/* SPDX-License-Identifier: MIT */
/*
 * What to try, and what to report, when the kernel refuses an event that is to be sampled: limits
 * of its own, what ordinary users may not, and a clock in the place of cycles. Source:
 * perf_event_open(2), ERRORS; Documentation/admin-guide/sysctl/kernel.rst.
 */
#include <errno.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/sampling.h>

#include "cleanup.h"
#include "host.h"
#include "ladder.h"
#include "str.h"
#include "uapi.h"

/* The kernel lowers its limit when interrupts take too long: it can be less than it was. */
static enum xp_step sample_less(const struct xp_refusal *r)
{
	const struct xp_attr *attr = &r->evsel->attr;
	uint64_t most = xp_max_sample_rate(r->evsel->ctx);

	if (!attr->freq || attr->sample_freq <= most)
		return XP_STEP_NEXT;
	xp_evsel_limit_freq(r->evsel, most);
	return XP_STEP_REOPEN;
}

static enum xp_step fail_max_stack(const struct xp_refusal *r)
{
	int64_t most = 127;

	if (!r->evsel->attr.sample_max_stack)
		return XP_STEP_NEXT;
	xp_file_read_int(r->evsel->ctx, &most, "/proc/sys/kernel/perf_event_max_stack");
	xp_diag_set(r->diag, r->err,
		    "Call chains of %d frames cannot be recorded for %s: "
		    "kernel.perf_event_max_stack allows %d",
		    r->evsel->attr.sample_max_stack, r->evsel->name, (int)most);
	xp_diag_hint(r->diag, "Use fewer frames, or: sudo sysctl kernel.perf_event_max_stack=%d",
		     r->evsel->attr.sample_max_stack);
	return XP_STEP_FAIL;
}

static enum xp_step fail_namespaces(const struct xp_refusal *r)
{
	if (!r->evsel->attr.namespaces)
		return XP_STEP_NEXT;
	xp_diag_set(r->diag, r->err,
		    "No permission to record namespaces: ordinary users may not record them");
	xp_diag_hint(r->diag, "Run it as root, or without namespaces");
	return XP_STEP_FAIL;
}

/* Source: TRACE_EVENT_PERF_PERM() in the kernel. */
static bool is_only_counted(const struct xp_refusal *r)
{
	const struct xp_sys *sys = r->evsel->ctx->sys;
	const struct xp_attr *attr = &r->evsel->attr;

	return attr->type == XP_TYPE_TRACEPOINT && attr->sample_period && !sys->euid(sys) &&
	       !xp_host_filter_refuses(r->evsel->ctx);
}

static enum xp_step fail_only_counted(const struct xp_refusal *r)
{
	if (!is_only_counted(r))
		return XP_STEP_NEXT;
	xp_diag_set(r->diag, r->err,
		    "%s can be counted, but not sampled: each sample would cause the next",
		    r->evsel->name);
	xp_diag_hint(r->diag, "Count %s instead of sampling it", r->evsel->name);
	return XP_STEP_FAIL;
}

static bool wants_branches(const struct xp_refusal *r)
{
	return r->evsel->attr.sample_type & XP_SAMPLE_BRANCH_STACK &&
	       !(r->evsel->attr.precise_ip && r->evsel->precise_max);
}

static enum xp_step unsupported_branches(const struct xp_refusal *r)
{
	if (!wants_branches(r))
		return XP_STEP_NEXT;
	xp_evsel_set_reason(r->evsel, "it has no branch records");
	return XP_STEP_UNSUPPORTED;
}

/* A clock shows as well where the time goes, but it has no branches. EOPNOTSUPP may be because of
 * the precision: a less precise event is tried before. */
static bool may_be_clock(const struct xp_refusal *r)
{
	const struct xp_attr *attr = &r->evsel->attr;

	return r->evsel->clock_will_do && attr->type == XP_TYPE_HARDWARE &&
	       (attr->config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES &&
	       !(attr->sample_type & XP_SAMPLE_BRANCH_STACK) &&
	       (r->err != -EOPNOTSUPP || !attr->precise_ip);
}

/* "cycles:ppu" becomes "task-clock:u": a clock has no precision. */
static void name_clock(struct xp_evsel *evsel, const char *clock)
{
	const struct xp_attr *attr = &evsel->attr;
	bool rings = attr->exclude_user || attr->exclude_kernel;
	const struct {
		bool shown;
		const char *letter;
	} modifiers[] = {
		{ rings && !attr->exclude_user, "u" },
		{ rings && !attr->exclude_kernel, "k" },
		{ rings && !attr->exclude_hv, "h" },
		{ evsel->guest_chosen && !attr->exclude_guest, "G" },
		{ evsel->guest_chosen && !attr->exclude_host, "H" },
	};
	bool first = true;

	xp_evsel_rename(evsel, clock);
	for (size_t i = 0; i < XP_ARRAY_LEN(modifiers); i++) {
		if (!modifiers[i].shown)
			continue;
		if (first)
			xp_evsel_append_name(evsel, ":");
		xp_evsel_append_name(evsel, modifiers[i].letter);
		first = false;
	}
}

/* As perf 7.2: the clock of the tasks, or of the CPUs, whichever are recorded. */
static enum xp_step use_clock(const struct xp_refusal *r)
{
	struct xp_evsel *evsel = r->evsel;
	struct xp_ctx *ctx = evsel->ctx;

	if (!may_be_clock(r))
		return XP_STEP_NEXT;
	bool of_task = xp_threads_tid(r->args->threads, r->thread_idx) >= 0;
	const char *also = xp_evsel_reason(evsel);
	struct xp_str reason = { 0 };

	xp_str_addf(&reason, "%s %s", xp_host_describe(ctx),
		    xp_host_has_core_pmu(ctx) ? "cannot sample them" : "has no PMU");
	if (!evsel->attr.freq)
		xp_str_addf(&reason, "; the period is in nanoseconds");
	if (also[0])
		xp_str_addf(&reason, "; %s", also);
	xp_evsel_set_reason(evsel, "%s", xp_str_text(&reason));
	xp_str_fini(&reason);
	evsel->attr.type = XP_TYPE_SOFTWARE;
	evsel->attr.config = of_task ? XP_SW_TASK_CLOCK : XP_SW_CPU_CLOCK;
	evsel->attr.precise_ip = 0;
	evsel->instead_of = "cycles";
	/* Scripts find the period that they gave for a command, as with perf. */
	if (!of_task)
		xp_evsel_limit_clock(evsel, xp_max_sample_rate(ctx));
	name_clock(evsel, of_task ? "task-clock" : "cpu-clock");
	return XP_STEP_REOPEN;
}

const struct xp_rung xp_sampling_rungs[] = {
	{ { EACCES }, fail_namespaces },
	{ { EPERM }, fail_only_counted },
	{ { EINVAL }, sample_less },
	{ { EOVERFLOW }, fail_max_stack },
	{ { ENOENT }, xp_use_own_event }, /* counted ones, too: before the clock */
	{ { ENOENT, ENODEV, ENXIO, EOPNOTSUPP }, use_clock },
	{ { EOPNOTSUPP }, unsupported_branches },
	{ .step = NULL },
};
