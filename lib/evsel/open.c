/* SPDX-License-Identifier: MIT */
/* Opening one event on every CPU and thread, and closing it; what to do when refused is ladder.c's.
 */
#include "open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "filter.h"
#include "given.h"
#include "ladder.h"
#include "probe.h"
#include "uapi.h"
#include "where.h"

static int nr_cells(const struct xp_open_args *args)
{
	return xp_cpus_nr(args->cpus) * xp_threads_nr(args->threads);
}

int xp_open_check_cells(const struct xp_open_args *args, struct xp_diag *diag)
{
	int nr;

	if (!__builtin_mul_overflow(xp_cpus_nr(args->cpus), xp_threads_nr(args->threads), &nr))
		return 0;
	return xp_diag_set(
		diag, -EMFILE,
		"Too many open files: no limit allows a descriptor for each of %d CPUs and %d "
		"threads",
		xp_cpus_nr(args->cpus), xp_threads_nr(args->threads));
}

int xp_evsel_open_cell(const struct xp_evsel *evsel, const struct xp_open_args *args, int cpu_idx,
		       int thread_idx)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	struct xp_attr attr = evsel->attr; /* a kernel that finds it too large writes its size */
	int cpu = xp_cpus_at(args->cpus, cpu_idx).nr, group_fd = -1;

	xp_probe_use_name(evsel, &attr);
	if (evsel->elsewhere && evsel->elsewhere[cpu_idx])
		return -ENOTCONN;
	if (args->leader) {
		group_fd = xp_evsel_fd(args->leader, cpu_idx, thread_idx);
		if (group_fd < 0)
			return -ENOTCONN;
	}
	int given = xp_evsel_take_given(evsel, cpu);
	if (given >= 0)
		return given;
	pid_t target = xp_threads_tid(args->threads, thread_idx);
	bool by_cgroup = evsel->cgroup && evsel->cgroup->fd >= 0;
	if (by_cgroup)
		target = evsel->cgroup->fd;
	int fd = sys->perf_event_open(sys, &attr, target, cpu, group_fd,
				      by_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	if (fd != -ENODEV || group_fd < 0 || by_cgroup || target <= 0)
		return fd;
	/* Linux 6.15 says so, too, if the thread has ended since the leader was opened. */
	int alone = sys->perf_event_open(sys, &attr, target, cpu, -1, 0);
	if (alone >= 0)
		sys->close(sys, alone);
	return alone == -ESRCH ? alone : fd;
}

static void close_cells(struct xp_evsel *evsel, int nr)
{
	const struct xp_sys *sys = evsel->ctx->sys;

	for (int i = 0; i < nr; i++) {
		if (evsel->fds[i] >= 0)
			sys->close(sys, evsel->fds[i]);
		evsel->fds[i] = -1;
	}
}

/* What was refused and what comes of it. */
static void log_refusal(const struct xp_refusal *refusal, enum xp_step step)
{
	static const struct {
		enum xp_log_level level;
		const char *text;
	} steps[] = {
		[XP_STEP_AGAIN] = { XP_LOG_DEBUG,
				    "opened again after the limit of open files was raised" },
		[XP_STEP_REOPEN] = { XP_LOG_INFO, "opened again with other attributes" },
		[XP_STEP_SKIP] = { XP_LOG_INFO, "left out there" },
		[XP_STEP_UNSUPPORTED] = { XP_LOG_INFO, "not counted" },
		[XP_STEP_FAIL] = { XP_LOG_DEBUG, "given up" },
	};
	const struct xp_evsel *evsel = refusal->evsel;
	const char *reason = xp_evsel_reason(evsel);
	pid_t tid = xp_threads_tid(refusal->args->threads, refusal->thread_idx);
	int cpu = xp_cpus_at(refusal->args->cpus, refusal->cpu_idx).nr;
	char where[64] = "";

	if (cpu >= 0 && tid >= 0)
		snprintf(where, sizeof(where), " on CPU %d for thread %d", cpu, (int)tid);
	else if (cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	else
		snprintf(where, sizeof(where), " for thread %d", (int)tid);
	xp_log(evsel->ctx, steps[step].level, "%s%s: %s: %s%s%s", evsel->name, where,
	       strerror(-refusal->err), steps[step].text, *reason ? ": " : "", reason);
}

/* Opens the cells in order; stops at the first that needs more than a retry. */
static enum xp_step open_cells(struct xp_evsel *evsel, struct xp_refusal *refusal)
{
	const struct xp_open_args *args = refusal->args;
	int nr_threads = xp_threads_nr(args->threads);

	for (int i = 0; i < nr_cells(args); i++) {
		refusal->cpu_idx = i / nr_threads;
		refusal->thread_idx = i % nr_threads;
		int fd = xp_evsel_open_cell(evsel, args, refusal->cpu_idx, refusal->thread_idx);
		evsel->fds[i] = fd < 0 ? -1 : fd;
		if (fd >= 0 || fd == -ENOTCONN)
			continue;

		refusal->err = fd;
		enum xp_step step = xp_ladder_step(refusal);
		log_refusal(refusal, step);
		if (step == XP_STEP_AGAIN)
			i--;
		else if (step != XP_STEP_SKIP)
			return step;
	}
	return XP_STEP_SKIP;
}

static bool any_cell(const struct xp_evsel *evsel, int nr)
{
	for (int i = 0; i < nr; i++)
		if (evsel->fds[i] >= 0)
			return true;
	return false;
}

static int open_all(struct xp_evsel *evsel, const struct xp_open_args *args, struct xp_diag *diag)
{
	struct xp_refusal refusal = { .evsel = evsel, .args = args, .diag = diag };
	int nr = nr_cells(args);
	enum xp_step step;

	do {
		step = open_cells(evsel, &refusal);
		if (step != XP_STEP_SKIP)
			close_cells(evsel, nr);
	} while (step == XP_STEP_REOPEN);

	if (step == XP_STEP_UNSUPPORTED)
		return 1;
	if (step == XP_STEP_FAIL)
		return refusal.err;
	if (any_cell(evsel, nr))
		return 0;
	if (refusal.err)
		return xp_diag_set(diag, -ESRCH, "Thread %d no longer exists",
				   (int)xp_threads_tid(args->threads, refusal.thread_idx));
	xp_evsel_set_reason(evsel, "the first event of its group counts on other CPUs");
	return 1;
}

static void forget_where(struct xp_evsel *evsel)
{
	free(evsel->elsewhere);
	evsel->elsewhere = NULL;
}

/* Why no kernel needs to be asked; NULL: it does. */
static const char *why_never(const struct xp_evsel *evsel)
{
	bool is_counted = !(evsel->attr.sample_type & ~(uint64_t)XP_SAMPLE_IDENTIFIER);

	if (!evsel->foreign && evsel->retire_latency && is_counted)
		return "retire latencies (R) are sampled with Intel PEBS, which libxperf does not support";
	return evsel->foreign;
}

int xp_evsel_open_with(struct xp_evsel *evsel, const struct xp_open_args *args,
		       struct xp_diag *diag)
{
	int nr = nr_cells(args);

	const char *impossible = why_never(evsel);
	if (impossible) {
		xp_evsel_set_reason(evsel, "%s", impossible);
		evsel->support = XP_NOT_SUPPORTED;
		return 1;
	}
	forget_where(evsel);
	int err = xp_evsel_find_where(evsel, args);
	if (err) {
		forget_where(evsel);
		evsel->support = err == 1 ? XP_NOT_SUPPORTED : XP_NOT_OPENED;
		return err == 1 ? 1 : xp_diag_set(diag, err, "Out of memory");
	}
	evsel->fds = malloc((size_t)nr * sizeof(*evsel->fds));
	if (!evsel->fds) {
		forget_where(evsel);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	memset(evsel->fds, -1, (size_t)nr * sizeof(*evsel->fds));

	evsel->too_many = NULL;
	if (evsel->support == XP_NOT_SUPPORTED)
		xp_evsel_forget_reason(evsel);
	err = open_all(evsel, args, diag);
	xp_evsel_forget_given(evsel);
	evsel->support = err == 1 ? XP_NOT_SUPPORTED : err ? XP_NOT_OPENED : XP_SUPPORTED;
	if (err) {
		free(evsel->fds);
		evsel->fds = NULL;
		forget_where(evsel);
		return err;
	}
	evsel->cpus = xp_cpus_ref(args->cpus);
	evsel->threads = xp_threads_ref(args->threads);
	err = xp_filter_set_all(evsel, diag);
	if (err) {
		xp_evsel_close(evsel);
		evsel->support = XP_NOT_OPENED;
	}
	return err;
}

int xp_evsel_open(struct xp_evsel *evsel, struct xp_cpus *cpus, struct xp_threads *threads,
		  struct xp_diag *diag)
{
	struct xp_cpus *any_cpu = NULL;
	struct xp_threads *any_thread = NULL;
	int err = 0;

	if (evsel->index >= 0)
		return xp_diag_set(diag, -EBUSY, "%s belongs to a list, which opens it",
				   evsel->name);
	if (evsel->fds)
		return xp_diag_set(diag, -EALREADY, "%s is open", evsel->name);
	if (!cpus && !threads)
		return xp_diag_set(diag, -EINVAL, "No CPUs and no threads are given to count %s on",
				   evsel->name);
	if (!cpus)
		err = xp_cpus_any(&any_cpu);
	if (!err && !threads)
		err = xp_threads_any(&any_thread);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");

	struct xp_open_args args = { .cpus = cpus ? cpus : any_cpu,
				     .threads = threads ? threads : any_thread };
	evsel->attr.read_format = XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_TOTAL_TIME_RUNNING;
	err = xp_open_check_cells(&args, diag) ?: xp_evsel_open_with(evsel, &args, diag);
	xp_cpus_unref(any_cpu);
	xp_threads_unref(any_thread);
	if (err == 1)
		return xp_diag_set(diag, -ENOENT, "%s is not supported: %s", evsel->name,
				   xp_evsel_reason(evsel));
	return err;
}

void xp_evsel_close(struct xp_evsel *evsel)
{
	if (evsel->fds)
		close_cells(evsel, xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads));
	xp_probe_remove_name(evsel);
	if (!evsel->fds)
		return;
	free(evsel->fds);
	evsel->fds = NULL;
	xp_cpus_unref(evsel->cpus);
	xp_threads_unref(evsel->threads);
	evsel->cpus = NULL;
	evsel->threads = NULL;
}

/* One ioctl on every descriptor. */
static int ioctl_all(struct xp_evsel *evsel, unsigned long request)
{
	const struct xp_sys *sys = evsel->ctx->sys;

	if (!xp_ctx_is_here(evsel->ctx))
		return -EPERM;
	if (!evsel->fds)
		return -ENOTCONN;
	for (int i = 0; i < xp_cpus_nr(evsel->cpus) * xp_threads_nr(evsel->threads); i++) {
		int err = evsel->fds[i] < 0 ? 0 : sys->ioctl(sys, evsel->fds[i], request, 0);

		if (err < 0)
			return err;
	}
	return 0;
}

int xp_evsel_enable(struct xp_evsel *evsel)
{
	return ioctl_all(evsel, PERF_EVENT_IOC_ENABLE);
}

int xp_evsel_disable(struct xp_evsel *evsel)
{
	return ioctl_all(evsel, PERF_EVENT_IOC_DISABLE);
}
