/* SPDX-License-Identifier: MIT */
/*
 * The metrics of perf 7's default events. Source: its table of common metrics, and what perf 6.19
 * to 7.2 print, with and without -d, on processors of AMD and Intel.
 */
#include "compat.h"

#include <stddef.h>
#include <string.h>

/* clang-format off: one row, one line */
const struct compat_metric compat_metrics[] = {
	{ .name = "cs_per_second" },
	{ .name = "migrations_per_second" },
	{ .name = "page_faults_per_second" },
	{ .name = "CPUs_utilized" },
	{ .name = "l1d_miss_rate", .detailed = 1 },
	{ .name = "l1i_miss_rate", .detailed = 2 },
	{ .name = "llc_miss_rate", .detailed = 1, .owner = "LLC-loads" },
	{ .name = "branch_miss_rate" },
	{ .name = "branch_frequency" },
	{ .name = "cycles_frequency", .is_always = true },
	{ .name = "insn_per_cycle", .unit = "instructions" },
	{ .name = "frontend_cycles_idle", .unit = "" },
	{ .name = "backend_cycles_idle", .unit = "" },
	{ .name = "stalled_cycles_per_instruction", .owner = "stalled-cycles-backend" },
	{ .name = "dtlb_miss_rate", .detailed = 2, .owner = "dTLB-loads" },
	{ .name = "itlb_miss_rate", .detailed = 2, .owner = "iTLB-loads" },
	{ .name = "l1_prefetch_miss_rate", .detailed = 3 },
	{ .name = "tma_backend_bound", .group = "TopdownL1" },
	{ .name = "tma_bad_speculation", .group = "TopdownL1" },
	{ .name = "tma_frontend_bound", .group = "TopdownL1" },
	{ .name = "tma_retiring", .group = "TopdownL1" },
	{ .name = NULL },
};
/* clang-format on */

const struct compat_metric *compat_metric_find(const char *name)
{
	for (const struct compat_metric *metric = compat_metrics; metric->name; metric++)
		if (!strcmp(metric->name, name))
			return metric;
	return NULL;
}
