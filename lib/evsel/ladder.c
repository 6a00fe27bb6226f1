/* SPDX-License-Identifier: MIT */
/*
 * The ladder: what the kernel refused, what to try next, what to report to the user. Each rung
 * looks whether it applies to the refusal; the first that does decides. Rungs of sampled events
 * (ladder-sampling.c) come first, then those of descriptors (ladder-limit.c). A rung that changes
 * something does not apply afterwards, so the ladder ends.
 *
 * Source: perf_event_open(2), ERRORS; the order of retries follows perf.
 */
#include "ladder.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "host.h"
#include "missing.h"
#include "pmus.h"
#include "uapi.h"

static struct xp_ctx *ctx_of(const struct xp_refusal *r)
{
	return r->evsel->ctx;
}

static int cpu_of(const struct xp_refusal *r)
{
	return xp_cpus_at(r->args->cpus, r->cpu_idx).nr;
}

static pid_t tid_of(const struct xp_refusal *r)
{
	return xp_threads_tid(r->args->threads, r->thread_idx);
}

static bool is_hardware(const struct xp_refusal *r)
{
	uint32_t type = r->evsel->attr.type;

	return type == XP_TYPE_HARDWARE || type == XP_TYPE_HW_CACHE || type == XP_TYPE_RAW;
}

static bool always(const struct xp_refusal *r)
{
	(void)r;
	return true;
}

/* --- permissions --- */

static bool kernel_may_be_excluded(const struct xp_refusal *r)
{
	const struct xp_attr *attr = &r->evsel->attr;

	bool has_rings =
		attr->type != XP_TYPE_TRACEPOINT && !r->evsel->probe && !r->evsel->is_uncore;

	return !attr->exclude_kernel && !attr->exclude_user && has_rings &&
	       xp_host_paranoid(ctx_of(r)) > 1;
}

/* Switches and migrations happen in the kernel: with it excluded they would count 0. */
static bool happens_in_kernel_only(const struct xp_refusal *r)
{
	const struct xp_attr *attr = &r->evsel->attr;

	return kernel_may_be_excluded(r) && attr->type == XP_TYPE_SOFTWARE &&
	       (attr->config == XP_SW_CONTEXT_SWITCHES || attr->config == XP_SW_CPU_MIGRATIONS) &&
	       tid_of(r) >= 0;
}

static enum xp_step give_up_in_kernel(const struct xp_refusal *r)
{
	if (!happens_in_kernel_only(r))
		return XP_STEP_NEXT;
	xp_evsel_set_reason(r->evsel,
			    "happens only in the kernel, which perf_event_paranoid=%d does not let "
			    "you count",
			    xp_host_paranoid(ctx_of(r)));
	return XP_STEP_UNSUPPORTED;
}

/* "cycles" becomes "cycles:u", "cycles:p" "cycles:pu", "cpu_core/cycles/" "cpu_core/cycles/u". */
static const char *user_only_suffix(const char *name)
{
	const char *colon = strrchr(name, ':');
	const char *slash = strrchr(name, '/');
	const char *last = colon > slash ? colon : slash;

	return last && !last[1 + strspn(last + 1, xp_modifier_letters)] ? "u" : ":u";
}

static enum xp_step exclude_kernel(const struct xp_refusal *r)
{
	struct xp_evsel *evsel = r->evsel;

	if (!kernel_may_be_excluded(r))
		return XP_STEP_NEXT;
	evsel->attr.exclude_kernel = 1;
	evsel->attr.exclude_hv = 1;
	xp_evsel_append_name(evsel, user_only_suffix(evsel->name));
	xp_evsel_set_reason(evsel, "in user space only (perf_event_paranoid=%d)",
			    xp_host_paranoid(ctx_of(r)));
	return XP_STEP_REOPEN;
}

static enum xp_step fail_filter(const struct xp_refusal *r)
{
	if (!xp_host_filter_refuses(ctx_of(r)))
		return XP_STEP_NEXT;
	xp_diag_set(
		r->diag, r->err,
		"%s cannot be counted: a seccomp filter (usual in containers) blocks perf_event_open",
		r->evsel->name);
	xp_diag_hint(
		r->diag,
		"Start the container with docker run --cap-add PERFMON, or --security-opt seccomp=unconfined");
	return XP_STEP_FAIL;
}

static bool wants_raw_samples(const struct xp_refusal *r)
{
	return r->evsel->attr.type == XP_TYPE_TRACEPOINT &&
	       r->evsel->attr.sample_type & XP_SAMPLE_RAW;
}

static bool wants_physical_addresses(const struct xp_refusal *r)
{
	return r->evsel->attr.sample_type & XP_SAMPLE_PHYS_ADDR;
}

static bool is_for_all_tasks(const struct xp_refusal *r)
{
	return tid_of(r) < 0;
}

static bool wants_kernel(const struct xp_refusal *r)
{
	return !r->evsel->attr.exclude_kernel;
}

/*
 * What perf_event_paranoid forbids, by the highest level that allows it. Source:
 * Documentation/admin-guide/sysctl/kernel.rst; the kernel checks counting of tracepoints like that
 * of any event, only their raw samples need -1.
 */
static const struct {
	int level;
	bool (*is)(const struct xp_refusal *r);
	const char *what;
} forbidden[] = {
	{ -1, wants_raw_samples, "to record raw samples of tracepoints" },
	{ 0, is_for_all_tasks, "to count all tasks of a CPU" },
	{ 1, wants_physical_addresses, "to record physical addresses" },
	{ 1, wants_kernel, "to count in the kernel" },
	{ 2, always, "to count anything" },
};

/* Debian's and Ubuntu's kernels have levels above 2, which capabilities do not lift. */
static enum xp_step fail_permission(const struct xp_refusal *r)
{
	int paranoid = xp_host_paranoid(ctx_of(r));
	size_t i = 0;

	while (!forbidden[i].is(r))
		i++;
	xp_diag_set(
		r->diag, r->err,
		"No permission to count %s: perf_event_paranoid=%d does not allow ordinary users "
		"%s",
		r->evsel->name, paranoid, paranoid > 2 ? "to count anything" : forbidden[i].what);
	xp_diag_hint(r->diag, "Run it as root, %sor: sudo sysctl kernel.perf_event_paranoid=%d",
		     paranoid > 2 ? "" : XP_GIVE_CAPABILITIES ", ", forbidden[i].level);
	return XP_STEP_FAIL;
}

/* The sysctl allows it, and no privilege is missing but that over the task. */
static bool belongs_to_another(const struct xp_refusal *r)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(forbidden); i++)
		if (forbidden[i].is(r))
			return tid_of(r) > 0 && xp_host_paranoid(ctx_of(r)) <= forbidden[i].level;
	return false;
}

static enum xp_step fail_another(const struct xp_refusal *r)
{
	if (!belongs_to_another(r))
		return XP_STEP_NEXT;
	xp_diag_set(r->diag, r->err, "No permission to count %s in thread %d: the process is %s",
		    r->evsel->name, (int)tid_of(r), xp_host_whose_task(ctx_of(r), tid_of(r)));
	xp_diag_hint(r->diag, "Run it as root, or " XP_GIVE_CAPABILITIES);
	return XP_STEP_FAIL;
}

/* --- the target is not there --- */

static enum xp_step skip_thread(const struct xp_refusal *r)
{
	(void)r; /* if none is left, open.c says so */
	return XP_STEP_SKIP;
}

static bool cpu_is_absent(const struct xp_refusal *r)
{
	struct xp_cpus *online = NULL;

	if (cpu_of(r) < 0 || xp_cpus_online(ctx_of(r), &online, NULL))
		return false;
	bool absent = xp_cpus_find(online, xp_cpus_at(r->args->cpus, r->cpu_idx)) < 0;
	xp_cpus_unref(online);
	return absent;
}

static enum xp_step fail_cpu(const struct xp_refusal *r)
{
	if (!cpu_is_absent(r))
		return XP_STEP_NEXT;
	xp_diag_set(r->diag, r->err, "CPU %d is not online", cpu_of(r));
	xp_diag_hint(r->diag, "/sys/devices/system/cpu/online lists those that are");
	return XP_STEP_FAIL;
}

/* --- the attribute --- */

static enum xp_step less_precise(const struct xp_refusal *r)
{
	if (!r->evsel->attr.precise_ip || !r->evsel->precise_max)
		return XP_STEP_NEXT;
	r->evsel->attr.precise_ip--;
	return XP_STEP_REOPEN;
}

/* Some PMUs, the uncore ones, refuse every exclude bit; some cannot count guests apart. */
static enum xp_step include_guest(const struct xp_refusal *r)
{
	if (!r->evsel->attr.exclude_guest || r->evsel->guest_chosen)
		return XP_STEP_NEXT;
	r->evsel->attr.exclude_guest = 0;
	return XP_STEP_REOPEN;
}

/* --- the group --- */

static bool opens_outside_group(const struct xp_refusal *r, const struct xp_evsel *evsel)
{
	const struct xp_sys *sys = ctx_of(r)->sys;
	struct xp_open_args alone = *r->args;

	alone.leader = NULL;
	int fd = xp_evsel_open_cell(evsel, &alone, r->cpu_idx, r->thread_idx);
	if (fd < 0)
		return false;
	sys->close(sys, fd);
	return true;
}

/* The same event opens outside the group: the group does not fit on the counters. */
static bool opens_alone(const struct xp_refusal *r)
{
	return r->args->leader && opens_outside_group(r, r->evsel);
}

/* The whole sentence needs the number that fit: lib/evlist. */
static enum xp_step unsupported_in_group(const struct xp_refusal *r, const char *place)
{
	r->evsel->too_many = place;
	xp_evsel_set_reason(r->evsel, "its group does not fit %s", place);
	return XP_STEP_UNSUPPORTED;
}

static enum xp_step unsupported_too_large(const struct xp_refusal *r)
{
	if (!opens_alone(r))
		return XP_STEP_NEXT;
	return unsupported_in_group(r, "on the PMU's counters together");
}

/* A reading of a group has at most 16 KiB. Source: perf_event_validate_size(), Linux 6.18. */
static enum xp_step unsupported_too_long(const struct xp_refusal *r)
{
	if (!opens_alone(r))
		return XP_STEP_NEXT;
	return unsupported_in_group(r, "into one reading");
}

static enum xp_step drop_features(const struct xp_refusal *r)
{
	return xp_missing_drop(r->evsel) ? XP_STEP_REOPEN : XP_STEP_NEXT;
}

/* --- the clock of its times --- */

/* Outside its group, the event opens without the clock that was asked for, and not with it. */
static bool clock_is_why(const struct xp_refusal *r)
{
	struct xp_evsel event = *r->evsel;

	if (!event.attr.use_clockid || opens_alone(r))
		return false;
	event.attr.use_clockid = 0;
	event.attr.clockid = 0;
	return opens_outside_group(r, &event);
}

/*
 * What may happen in an NMI takes its times from clocks that can be read there; other events have
 * all of these clocks. Source: perf_event_set_clock(), Linux 6.18.
 */
static enum xp_step fail_clock(const struct xp_refusal *r)
{
	static const struct {
		int id;
		const char *name;
	} clocks[] = {
		{ CLOCK_REALTIME, "realtime" },
		{ CLOCK_BOOTTIME, "boottime" },
		{ CLOCK_TAI, "tai" },
	};
	int id = r->evsel->attr.clockid;

	if (!clock_is_why(r))
		return XP_STEP_NEXT;
	for (size_t i = 0; i < XP_ARRAY_LEN(clocks); i++) {
		if (clocks[i].id != id)
			continue;
		xp_diag_set(r->diag, r->err,
			    "%s cannot be recorded with the clock %s: the kernel has only "
			    "monotonic and monotonic_raw for it",
			    r->evsel->name, clocks[i].name);
		xp_diag_hint(r->diag, "Use monotonic, or software events, which have every clock");
		return XP_STEP_FAIL;
	}
	xp_diag_set(r->diag, r->err, "The kernel has no clock number %d for events", id);
	xp_diag_hint(r->diag, "Use monotonic, monotonic_raw, realtime, boottime or tai");
	return XP_STEP_FAIL;
}

/* --- this machine has no such event --- */

static enum xp_step unsupported_no_pmu(const struct xp_refusal *r)
{
	if (!is_hardware(r) || xp_host_has_core_pmu(ctx_of(r)))
		return XP_STEP_NEXT;
	xp_evsel_set_reason(r->evsel, "%s has no PMU", xp_host_describe(ctx_of(r)));
	return XP_STEP_UNSUPPORTED;
}

static enum xp_step unsupported_event(const struct xp_refusal *r)
{
	if (r->evsel->pmu)
		xp_evsel_set_reason(r->evsel, "the PMU '%s' has no such event",
				    r->evsel->pmu->name);
	else
		xp_evsel_set_reason(r->evsel, is_hardware(r) ? "the PMU has no such event"
							     : "this kernel has no such event");
	return XP_STEP_UNSUPPORTED;
}

static enum xp_step unsupported_newer(const struct xp_refusal *r)
{
	xp_evsel_set_reason(r->evsel, "this kernel does not know all of its attributes");
	return XP_STEP_UNSUPPORTED;
}

/* Source: perf_event_open(2), ENOSPC. */
static enum xp_step unsupported_no_breakpoint(const struct xp_refusal *r)
{
	if (r->evsel->attr.type != XP_TYPE_BREAKPOINT)
		return XP_STEP_NEXT;
	xp_evsel_set_reason(r->evsel, "all breakpoints of the processor are in use");
	return XP_STEP_UNSUPPORTED;
}

static enum xp_step unsupported_combination(const struct xp_refusal *r)
{
	xp_evsel_set_reason(r->evsel, "the kernel does not count it with these modifiers (%s)",
			    strerror(-r->err));
	return XP_STEP_UNSUPPORTED;
}

static enum xp_step fail_busy(const struct xp_refusal *r)
{
	xp_diag_set(r->diag, r->err, "%s cannot be counted: the PMU is in use by another program",
		    r->evsel->name);
	xp_diag_hint(r->diag, "End other profilers; `fuser -v /dev/cpu/*/msr` may name one");
	return XP_STEP_FAIL;
}

static enum xp_step fail_unknown(const struct xp_refusal *r)
{
	xp_diag_set(r->diag, r->err, "%s cannot be counted: perf_event_open failed: %s",
		    r->evsel->name, strerror(-r->err));
	return XP_STEP_FAIL;
}

static enum xp_step fail_no_kernel_support(const struct xp_refusal *r)
{
	xp_diag_set(r->diag, r->err,
		    "perf_event_open is missing from this kernel, or a seccomp "
		    "filter hides it");
	xp_diag_hint(r->diag,
		     "Use a kernel with CONFIG_PERF_EVENTS, or, in a container, a seccomp profile "
		     "that allows perf_event_open");
	return XP_STEP_FAIL;
}

static const struct xp_rung rungs[] = {
	{ { EACCES, EPERM }, give_up_in_kernel },
	{ { EACCES, EPERM }, exclude_kernel },
	{ { EACCES, EPERM }, fail_filter },
	{ { EACCES, EPERM }, xp_probe_refused },
	{ { EACCES, EPERM }, fail_another },
	{ { EACCES, EPERM }, fail_permission },
	{ { ESRCH }, skip_thread },
	{ { ENODEV, EINVAL }, fail_cpu },
	{ { EINVAL }, unsupported_too_large },
	{ { EINVAL, ENOENT }, xp_cgroup_refused },
	{ { EINVAL, EOPNOTSUPP }, less_precise },
	{ { EINVAL }, drop_features },
	{ { EINVAL }, fail_clock },
	{ { 0 }, xp_probe_refused },
	{ { ENOENT, ENODEV, ENXIO, EOPNOTSUPP }, unsupported_no_pmu },
	{ { EOPNOTSUPP, EINVAL }, include_guest },
	{ { ENOENT, ENODEV, ENXIO }, unsupported_event },
	{ { EOPNOTSUPP, EINVAL }, unsupported_combination },
	{ { E2BIG }, unsupported_too_long },
	{ { E2BIG }, unsupported_newer },
	{ { ENOSPC }, unsupported_no_breakpoint },
	{ { ENOSYS }, fail_no_kernel_support },
	{ { EBUSY }, fail_busy },
	{ { 0 }, fail_unknown },
	{ .step = NULL },
};

static bool is_for(const struct xp_rung *rung, int err)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(rung->errs) && rung->errs[i]; i++)
		if (rung->errs[i] == -err)
			return true;
	return !rung->errs[0];
}

enum xp_step xp_ladder_step(const struct xp_refusal *r)
{
	static const struct xp_rung *const tables[] = { xp_sampling_rungs, xp_limit_rungs, rungs };
	enum xp_step step = XP_STEP_NEXT;

	for (size_t i = 0; i < XP_ARRAY_LEN(tables); i++)
		for (const struct xp_rung *rung = tables[i]; step == XP_STEP_NEXT && rung->step;
		     rung++)
			if (is_for(rung, r->err))
				step = rung->step(r);
	return step;
}
