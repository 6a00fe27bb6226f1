/* SPDX-License-Identifier: MIT */
/* Which metrics there are, and the names of the events each needs. */
#include <stdio.h>
#include <string.h>
#include <xperf/stat.h>

#include "metric.h"

/* Names as perf-list(1) has them. */
static const char *const event_names[] = {
	[KIND_CLOCK] = "task-clock",
	[KIND_CYCLES] = "cycles",
	[KIND_INSTRUCTIONS] = "instructions",
	[KIND_CACHE_REFS] = "cache-references",
	[KIND_CACHE_MISSES] = "cache-misses",
	[KIND_BRANCHES] = "branches",
	[KIND_BRANCH_MISSES] = "branch-misses",
	[KIND_STALLED_FRONT] = "stalled-cycles-frontend",
	[KIND_STALLED_BACK] = "stalled-cycles-backend",
	[KIND_L1D_LOADS] = "L1-dcache-loads",
	[KIND_L1D_MISSES] = "L1-dcache-load-misses",
	[KIND_L1I_LOADS] = "L1-icache-loads",
	[KIND_L1I_MISSES] = "L1-icache-load-misses",
	[KIND_LLC_LOADS] = "LLC-loads",
	[KIND_LLC_MISSES] = "LLC-load-misses",
	[KIND_DTLB_LOADS] = "dTLB-loads",
	[KIND_DTLB_MISSES] = "dTLB-load-misses",
	[KIND_ITLB_LOADS] = "iTLB-loads",
	[KIND_ITLB_MISSES] = "iTLB-load-misses",
	[KIND_CYCLES_TX] = "cycles-t",
	[KIND_CYCLES_TX_COMMITTED] = "cycles-ct",
	[KIND_TX_START] = "tx-start",
	[KIND_EL_START] = "el-start",
	[KIND_TD_RETIRING] = "topdown-retiring",
	[KIND_TD_BAD_SPEC] = "topdown-bad-spec",
	[KIND_TD_FRONTEND] = "topdown-fe-bound",
	[KIND_TD_BACKEND] = "topdown-be-bound",
	[KIND_TD_HEAVY_OPS] = "topdown-heavy-ops",
	[KIND_TD_BR_MISPREDICT] = "topdown-br-mispredict",
	[KIND_TD_FETCH_LATENCY] = "topdown-fetch-lat",
	[KIND_TD_MEMORY_BOUND] = "topdown-mem-bound",
};

/* "own,partner,..."; a metric can be its own partner. */
static void write_events(const struct metric_formula *formula, char *text, size_t size)
{
	size_t len = (size_t)snprintf(text, size, "%s", event_names[formula->kind]);

	for (int i = 0; i < METRIC_PARTNERS_MAX && formula->partners[i] != KIND_OTHER; i++)
		if (formula->partners[i] != formula->kind)
			len += (size_t)snprintf(text + len, size - len, ",%s",
						event_names[formula->partners[i]]);
}

int xp_metrics_list(xp_metric_fn fn, void *data)
{
	int err = 0;

	for (size_t i = 0; i < xp_metric_nr_formulas && !err; i++) {
		const struct metric_formula *formula = &xp_metric_formulas[i];
		char events[256];
		struct xp_metric_info info = { formula->unit, events };

		if (!formula->unit)
			continue;
		write_events(formula, events, sizeof(events));
		err = fn(&info, data);
	}
	return err;
}
