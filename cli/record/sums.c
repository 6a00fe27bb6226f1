/* SPDX-License-Identifier: MIT */
/* --bpf: call chains are summed in the kernel, and written from time to time. */
#include <string.h>
#include <time.h>

#include "recorder.h"

const char *sums_contradiction(const struct record_config *config)
{
	const struct xp_sampling_opts *sampling = &config->sampling;

	if (!config->sums_ns)
		return NULL;
	if (config->call_graph == CALL_GRAPH_AS_GIVEN && sampling->callchain > XP_CALLCHAIN_FP)
		return "--bpf sums call chains by frame pointers: leave out --call-graph, or use fp";
	if (config->off_cpu)
		return "--bpf sums samples, --off-cpu follows each switch: choose one";
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
	config->call_graph = CALL_GRAPH_AS_GIVEN;
	sampling->callchain = XP_CALLCHAIN_FP;
	sampling->use_clockid = true;
	sampling->clockid = CLOCK_MONOTONIC;
	sampling->flags |= XP_SAMPLING_PERIOD | XP_SAMPLING_TIME | XP_SAMPLING_CPU;
}

static int inject(const struct xp_record *record, void *data)
{
	return xp_recorder_inject(data, record, record->size);
}

int sums_write(struct recorder *r, struct xp_diag *diag)
{
	int err = r->sums ? xp_stack_sums_read(r->sums, inject, r->recorder) : 0;

	return err ? xp_diag_set(diag, err, "The sums cannot be read: %s", strerror(-err)) : 0;
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
