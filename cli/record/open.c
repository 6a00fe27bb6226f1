/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a recording: the workload is held, the events are opened, the file is made, and
 * what is there already is described, in this order: nothing can then be missed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/ring.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>
#include <xperf/sys.h>

#include "call-graph.h"
#include "recorder.h"
#include "synthesize.h"

static int open_events(void *data, struct xp_diag *diag)
{
	struct recorder *r = data;
	const struct xp_sampling_opts *sampling = &r->config.sampling;
	struct xp_threads *workload = NULL;
	struct xp_open_opts opts = {
		.size = sizeof(opts),
		.cpus = r->target.cpus,
		.threads = r->target.threads,
		.inherit = !sampling->no_inherit,
		.enable_on_exec = sampling->has_workload && !sampling->initial_delay,
	};

	if (sampling->has_workload) {
		int err = xp_threads_one(r->ctx, xp_workload_pid(r->session.workload), &workload);

		if (err)
			return xp_diag_set(diag, err, "Out of memory");
		opts.threads = workload;
	}
	int err = xp_evlist_open_sampling(r->evlist, &opts, diag);
	xp_threads_unref(workload);
	return err;
}

static int map_rings(struct recorder *r, struct xp_diag *diag)
{
	struct xp_rings_opts opts = {
		.size = sizeof(opts),
		.pages = r->config.pages,
		.aux_pages = r->config.aux_pages,
		.aux_snapshot = r->config.aux_snapshot,
	};

	return xp_evlist_map_rings(r->evlist, &opts, diag);
}

/* --- the recorder --- */

static int make_build_ids(struct recorder *r, struct xp_diag *diag)
{
	/* Files that follow each other have those the kernel puts into maps, as in perf. */
	bool wanted = r->config.build_ids != CHOICE_NO && !r->config.rule.when;
	int err = wanted ? xp_build_ids_new(r->ctx, &r->build_ids) : 0;

	return err ? xp_diag_set(diag, err, "Out of memory") : 0;
}

static int make_recorder(struct recorder *r, struct xp_diag *diag)
{
	enum { LOOK_NS = 20000000 }; /* how often sizes are looked at */
	enum { PPM_PER_PERCENT = 10000 };
	const struct record_config *config = &r->config;
	bool switches = config->rule.when & SWITCH_BY_SIZE;
	struct xp_band band = r->walks ? xp_stack_walks_band(r->walks) : (struct xp_band){ 0 };
	uint64_t ring_bytes = xp_ring_bytes(xp_evlist_ring(r->evlist, 0)->ring);
	struct xp_recorder_opts opts = {
		.size = sizeof(opts),
		.evlist = r->evlist,
		.writer = r->writer,
		.build_ids = r->build_ids,
		.no_threads = r->is_pumped,
		.off_cpu = r->sums ? NULL : r->off_cpu,
		.off_cpu_min_ns = config->off_cpu_min_ns,
		.realtime_priority = config->realtime,
		.max_bytes = config->max_bytes,
		.switch_bytes = switches ? config->rule.bytes : 0,
		.flush_ns = switches || config->max_bytes ? LOOK_NS : 0,
		/* As perf: no more than a quarter, or nothing would be left to write into. */
		.min_bytes =
			config->flush_bytes < ring_bytes / 4 ? config->flush_bytes : ring_bytes / 4,
		.unwind = r->unwind,
		.no_join = config->no_join,
		.own_rounds = r->sums,
		.kept_regs = config->sampling.regs_user,
		.band = r->walks ? &band : sums_band(r, &band),
		.band_cpu_ppm = sums_cpu_ppm(r),
		.cpu_ppm = (uint64_t)config->max_cpu * PPM_PER_PERCENT,
	};
	int err = xp_recorder_new(r->ctx, &opts, &r->recorder);

	if (err)
		return xp_diag_set(diag, err, "The recorder cannot be created: %s", strerror(-err));
	if (r->nr_switch_events)
		xp_recorder_watch(r->recorder, xp_evlist_at(r->evlist, r->first_switch_event));
	if (r->nr_switch_events > 1 && !config->quiet)
		fputs("Warning: only the first event of --switch-output-event switches files\n",
		      stderr);
	return 0;
}

static int inject(const struct xp_record *record, void *data)
{
	return xp_recorder_inject(data, record, record->size);
}

int recorder_describe(struct recorder *r, xp_record_fn fn, void *data, struct xp_diag *diag)
{
	struct before before = {
		.ctx = r->ctx,
		.config = &r->config,
		.evlist = r->evlist,
		.target = &r->target,
		.workload = r->session.workload ? xp_workload_pid(r->session.workload) : 0,
		.workload_running = r->session.started,
	};
	int err = synthesize(&before, fn, data);

	if (err)
		return xp_diag_set(diag, err, "Running processes cannot be described: %s",
				   strerror(-err));
	if (before.kernel_hidden && !r->kernel_was_hidden)
		say_hidden_kernel(&r->config);
	r->kernel_was_hidden |= before.kernel_hidden;
	return 0;
}

int recorder_describe_here(struct recorder *r, struct xp_diag *diag)
{
	return recorder_describe(r, inject, r->recorder, diag);
}

/* What is to see samples from the first one on. */
static int load_programs(struct recorder *r, struct xp_diag *diag)
{
	if (r->config.sums_ns)
		return sums_load(r, diag);
	int err = xp_sample_filters_load(r->evlist, &r->filters, diag);

	if (err)
		return err;
	walks_load(r);
	call_graph_say(&r->config, r->walks);
	return 0;
}

int recorder_open(struct recorder *r, struct xp_diag *diag)
{
	const struct record_config *config = &r->config;
	int err = session_catch_signals(&r->session, true, diag) ?: load_programs(r, diag);

	if (!err && config->workload)
		err = session_prepare(&r->session, config->workload, diag);
	if (!err)
		err = target_open(&r->target, &config->target, r->evlist, open_events, r, diag)
			      ?: map_rings(r, diag);
	if (err)
		return err;
	say_differences(config, r->evlist);
	say_same_events(config, r->evlist);
	if (r->off_cpu && xp_evsel_attr_const(r->off_cpu)->exclude_kernel)
		say_last_stacks(config);
	r->output.evlist = r->evlist;
	err = output_begin(&r->output, &r->writer, diag)
		      ?: make_build_ids(r, diag)
		      ?: make_recorder(r, diag);
	if (!err)
		err = sums_describe(r, diag);
	if (!err && !config->tail_synthesize)
		err = recorder_describe_here(r, diag);
	return err ? err : xp_recorder_start(r->recorder, diag);
}
