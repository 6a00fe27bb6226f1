/* SPDX-License-Identifier: MIT */
/*
 * Decides what of the system is described: the kernel, BPF programs and control groups for all,
 * tasks as far as they can be recorded.
 */
#include "synthesize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>
#include <xperf/sys.h>

#include "target.h"

/* How deep the processes of a workload are followed. */
enum { DEPTH_MAX = 64 };

struct sink {
	xp_record_fn fn;
	void *data;
	uint64_t nr;
};

static int pass_on(const struct xp_record *record, void *data)
{
	struct sink *sink = data;

	sink->nr++;
	return sink->fn(record, sink->data);
}

static struct xp_synth_opts opts_of(const struct before *before)
{
	const struct record_config *config = before->config;
	const struct xp_attr *first = xp_evsel_attr_const(xp_evlist_at(before->evlist, 0));
	struct xp_synth_opts opts = {
		.size = sizeof(opts),
		.id_bytes = xp_sample_id_bytes(first),
		.no_maps = !(config->synth & SYNTH_MMAP),
		.data_maps = config->sampling.flags & XP_SAMPLING_DATA_MAPS,
		.namespaces = config->sampling.flags & XP_SAMPLING_NAMESPACES,
		.timeout_ms = (uint32_t)config->map_timeout_ms,
	};

	for (int i = 0; i < xp_evlist_nr(before->evlist); i++)
		opts.build_ids |= xp_evsel_attr_const(xp_evlist_at(before->evlist, i))->build_id;
	return opts;
}

static bool sees_kernel(const struct before *before)
{
	for (int i = 0; i < xp_evlist_nr(before->evlist); i++)
		if (!xp_evsel_attr_const(xp_evlist_at(before->evlist, i))->exclude_kernel)
			return true;
	return false;
}

static int kernel(struct before *before, const struct xp_synth_opts *opts, struct sink *sink)
{
	const struct record_config *config = before->config;
	uint64_t nr = sink->nr;
	int err = 0;

	if (sees_kernel(before)) {
		err = xp_synth_kernel(before->ctx, opts, pass_on, sink);
		before->kernel_hidden = !err && sink->nr == nr;
	}
	if (!err && !(config->sampling.flags & XP_SAMPLING_NO_BPF))
		err = xp_synth_bpf(before->ctx, opts, pass_on, sink);
	if (!err && config->sampling.flags & XP_SAMPLING_CGROUP && config->synth & SYNTH_CGROUP)
		err = xp_synth_cgroups(before->ctx, opts, pass_on, sink);
	return err;
}

/* Takes over the reference. */
static int threads_of(struct before *before, struct xp_threads *threads,
		      const struct xp_synth_opts *opts, struct sink *sink)
{
	int err = xp_synth_threads(before->ctx, threads, opts, pass_on, sink);

	xp_threads_unref(threads);
	return err;
}

/* The processes a thread has started: proc(5), /proc/PID/task/TID/children. NULL: not to be seen.
 */
static char *children_of(struct before *before, pid_t tid)
{
	const struct xp_sys *sys = xp_ctx_sys(before->ctx);
	char path[64], *text = calloc(1, BUFSIZ);

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)tid, (int)tid);
	int fd = text ? sys->open(sys, path) : -ENOMEM;
	if (fd < 0)
		return text;
	ssize_t n = sys->read(sys, fd, text, BUFSIZ - 1);
	/* A number that was cut is none. */
	if (n == BUFSIZ - 1 && strrchr(text, ' '))
		*strrchr(text, ' ') = '\0';
	sys->close(sys, fd);
	return text;
}

static int family(struct before *before, pid_t pid, int depth, const struct xp_synth_opts *opts,
		  struct sink *sink);

static int children(struct before *before, pid_t tid, int depth, const struct xp_synth_opts *opts,
		    struct sink *sink)
{
	char *list = children_of(before, tid), *end;
	int err = 0;

	for (char *p = list; p && !err; p = end) {
		long child = strtol(p, &end, 10);

		if (end == p || child <= 0)
			break;
		err = family(before, (pid_t)child, depth + 1, opts, sink);
	}
	free(list);
	return err;
}

/* A process and those it has started. */
static int family(struct before *before, pid_t pid, int depth, const struct xp_synth_opts *opts,
		  struct sink *sink)
{
	struct xp_threads *threads;
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	int err = xp_threads_of_processes(before->ctx, text, &threads, NULL);
	if (err)
		return err == -ENOMEM ? err : 0; /* it has ended */
	err = threads_of(before, xp_threads_ref(threads), opts, sink);
	for (int i = 0; i < xp_threads_nr(threads) && depth < DEPTH_MAX && !err; i++)
		err = children(before, xp_threads_tid(threads, i), depth, opts, sink);
	xp_threads_unref(threads);
	return err;
}

static int held_workload(struct before *before, struct xp_synth_opts *opts, struct sink *sink)
{
	struct xp_threads *threads;
	int err = xp_threads_one(before->ctx, before->workload, &threads);

	/* It has our maps still, and loses them when it executes. */
	opts->no_maps = true;
	return err ? err : threads_of(before, threads, opts, sink);
}

static int tasks(struct before *before, struct xp_synth_opts *opts, struct sink *sink)
{
	const struct record_config *config = before->config;
	int err = 0;

	if (config->synth & SYNTH_TASK && before->target->threads)
		err = xp_synth_threads(before->ctx, before->target->threads, opts, pass_on, sink);
	else if (config->synth & SYNTH_TASK && config->sampling.system_wide)
		err = xp_synth_system(before->ctx, opts, pass_on, sink);
	if (err || !before->workload || config->sampling.system_wide || before->target->threads)
		return err;
	if (before->workload_running)
		return family(before, before->workload, 0, opts, sink);
	return held_workload(before, opts, sink);
}

int synthesize(struct before *before, xp_record_fn fn, void *data)
{
	struct xp_synth_opts opts = opts_of(before);
	struct sink sink = { fn, data, 0 };
	int err = kernel(before, &opts, &sink);

	return err ? err : tasks(before, &opts, &sink);
}
