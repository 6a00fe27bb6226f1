/* SPDX-License-Identifier: MIT */
/* --bpf: call chains are summed in the kernel, and written from time to time. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sampling.h>
#include <xperf/symtab.h>
#include <xperf/synth.h>
#include <xperf/unwind.h>

#include "feature.h"
#include "recorder.h"

const char *sums_contradiction(const struct record_config *config)
{
	const struct xp_sampling_opts *sampling = &config->sampling;

	if (!config->sums_ns)
		return NULL;
	if (config->call_graph == CALL_GRAPH_AS_GIVEN && sampling->callchain > XP_CALLCHAIN_FP)
		return "--bpf copies no stacks: leave out --call-graph, or use fp";
	if (config->off_cpu && sampling->flags & XP_SAMPLING_ALL_USER)
		return "--bpf sums waits where they begin, in the kernel: leave out --all-user";
	if (sampling->flags & (XP_SAMPLING_OVERWRITE | XP_SAMPLING_ONCE))
		return "--bpf writes all sums, --overwrite and -n leave out samples: choose one";
	if (sampling->flags & XP_SAMPLING_NO_TIME || config->period_wanted == CHOICE_NO)
		return "--bpf needs the time and the period of samples: leave out --no-timestamp and --no-period";
	if (sampling->use_clockid && sampling->clockid != CLOCK_MONOTONIC)
		return "--bpf has the clock 'monotonic': leave out -k, or use that";
	if (config->switch_events.nr)
		return "--bpf writes no samples when they happen: leave out --switch-output-event";
	return NULL;
}

void sums_finalize(struct record_config *config)
{
	struct xp_sampling_opts *sampling = &config->sampling;

	if (!config->sums_ns)
		return;
	config->sums_by_rules =
		config->call_graph != CALL_GRAPH_AS_GIVEN || sampling->callchain != XP_CALLCHAIN_FP;
	config->call_graph = CALL_GRAPH_AS_GIVEN;
	sampling->callchain = XP_CALLCHAIN_FP;
	sampling->use_clockid = true;
	sampling->clockid = CLOCK_MONOTONIC;
	sampling->flags |= XP_SAMPLING_PERIOD | XP_SAMPLING_TIME | XP_SAMPLING_CPU;
}

/* --- rules --- */

static void note(void *data, const struct xp_record *record, uint64_t time_ns)
{
	xp_stack_sums_note(data, record, time_ns);
}

static void known(void *data, uint64_t until_ns)
{
	xp_stack_sums_known(data, until_ns);
}

const struct xp_band *sums_band(const struct recorder *r, struct xp_band *band)
{
	if (!r->sums || xp_stack_sums_why_pointers(r->sums))
		return NULL;
	*band = (struct xp_band){ .note = note, .known = known, .data = r->sums };
	return band;
}

/* Keeping up with processes may cost in proportion to samples: at 99 Hz 0.3 % of a CPU. */
uint64_t sums_cpu_ppm(const struct recorder *r)
{
	enum { PPM_PER_HZ = 30, OTHERS = 10000, MOST = 1000000 };
	const struct xp_attr *attr = xp_evsel_attr_const(xp_evlist_at(r->evlist, 0));

	if (!attr->freq)
		return OTHERS;
	return attr->sample_freq < MOST / PPM_PER_HZ ? attr->sample_freq * PPM_PER_HZ : MOST;
}

int sums_load(struct recorder *r, struct xp_diag *diag)
{
	int err = 0;

	if (r->config.sums_by_rules && feature_is_on("dwarf-unwind"))
		err = xp_symbols_new(r->ctx, NULL, &r->symbols)
			      ?: xp_unwind_new(r->symbols, NULL, &r->rules);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	const struct xp_stack_sums_opts opts = {
		.size = sizeof(opts),
		.unwind = r->rules,
		.off_cpu = r->off_cpu,
		.off_cpu_min_ns = r->config.off_cpu_min_ns,
		.waking = r->waking,
		.rules_cpu_ppm = sums_cpu_ppm(r),
	};
	err = xp_stack_sums_load(r->evlist, &opts, &r->sums, diag);
	if (err || !r->rules || r->config.quiet)
		return err;
	const char *why = xp_stack_sums_why_pointers(r->sums);

	if (why)
		fprintf(stderr, "Note: callers are found by frame pointers. %s\n", why);
	return 0;
}

static int note_now(const struct xp_record *record, void *data)
{
	xp_stack_sums_note(data, record, 0);
	return 0;
}

/* A workload begins with the C library, which this program has, too: its rules take time. */
static int prepare_workload(struct recorder *r)
{
	/* As in records: files are the same ones then. */
	const struct xp_synth_opts opts = {
		.size = sizeof(opts),
		.build_ids = xp_evsel_attr_const(xp_evlist_at(r->evlist, 0))->build_id,
	};
	struct xp_threads *self;
	int err = xp_threads_one(r->ctx, getpid(), &self);

	if (err)
		return err;
	err = xp_synth_threads(r->ctx, self, &opts, note_now, r->sums);
	xp_threads_unref(self);
	xp_stack_sums_known(r->sums, 0);
	xp_stack_sums_wait(r->sums);
	return err;
}

int sums_describe(struct recorder *r, struct xp_diag *diag)
{
	uint64_t now = xp_ctx_now(r->ctx);
	struct xp_band band;
	int err = 0;

	if (!sums_band(r, &band))
		return 0;
	if (r->session.workload && prepare_workload(r))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	err = recorder_describe(r, note_now, r->sums, diag);
	xp_stack_sums_known(r->sums, now);
	return err;
}

void sums_look(const struct recorder *r)
{
	xp_stack_sums_describe(r->sums);
}

/* --- sums --- */

static int inject(const struct xp_record *record, void *data)
{
	return xp_recorder_inject(data, record, record->size);
}

bool sums_are_filling(const struct recorder *r)
{
	return xp_stack_sums_are_filling(r->sums) > 0;
}

int sums_write(struct recorder *r, struct xp_diag *diag)
{
	int err = r->sums ? xp_stack_sums_read(r->sums, inject, r->recorder) : 0;

	return err ? xp_diag_set(diag, err, "The sums cannot be read: %s", strerror(-err)) : 0;
}

int sums_stop(struct recorder *r, struct xp_diag *diag)
{
	int err = r->sums ? xp_stack_sums_stop(r->sums, xp_ctx_now(r->ctx)) : 0;

	return err ? xp_diag_set(diag, err, "The sums cannot be stopped: %s", strerror(-err)) : 0;
}

void sums_complete(const struct recorder *r, struct xp_recorder_stats *stats,
		   struct xp_stack_sums_stats *ret_sums)
{
	*ret_sums = (struct xp_stack_sums_stats){ .size = sizeof(*ret_sums) };
	if (!r->sums || xp_stack_sums_get_stats(r->sums, ret_sums))
		return;
	stats->samples += ret_sums->written;
	stats->first_time_ns = ret_sums->first_ns;
	stats->last_time_ns = ret_sums->last_ns;
}
