/* SPDX-License-Identifier: MIT */
/*
 * The ladder's rung for kernels that do not let a generic event name its PMU (arm64 before Linux
 * 6.6): the event of that PMU which means the same.
 *
 * Source: the kernel's drivers/perf/arm_pmuv3.c, armv8_pmuv3_perf_map and armv8_pmuv3_event_attrs;
 * measured: Linux 6.1, arm64 with two PMUs, answers ENOENT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ladder.h"
#include "num.h"
#include "pmu.h"
#include "pmus.h"
#include "uapi.h"

/* By PERF_COUNT_HW_...: what PMUs call it in events/. */
static const char *const names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cpu_cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "inst_retired",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "l1d_cache",
	[PERF_COUNT_HW_CACHE_MISSES] = "l1d_cache_refill",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "br_retired",
	[PERF_COUNT_HW_BRANCH_MISSES] = "br_mis_pred",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus_cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stall_frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stall_backend",
};

/* Writes what "event=0x11,NAME=VALUE" says into @attr. Returns 0 or why it cannot be. */
static int apply(struct xp_ctx *ctx, const char *pmu, const char *terms, struct xp_attr *attr)
{
	size_t len;

	for (const char *at = terms; *at && *at != '\n'; at += len + (at[len] == ',')) {
		const char *equals;
		uint64_t value = 1;
		struct xp_span name = { at, 0 };

		len = strcspn(at, ",\n");
		equals = memchr(at, '=', len);
		name.len = equals ? (size_t)(equals - at) : len;
		if (equals && xp_num_parse(equals + 1, len - name.len - 1, 0, &value))
			return -EBADMSG;
		int err = xp_pmu_format_write(ctx, pmu, name, value, attr);
		if (err)
			return err;
	}
	return 0;
}

/* The attribute with the PMU's own event. Returns false if it has none. */
static bool find(const struct xp_evsel *evsel, struct xp_attr *ret_attr)
{
	uint64_t event = evsel->attr.config & UINT32_MAX;
	xp_auto_free char *terms = NULL;

	if (evsel->attr.type != XP_TYPE_HARDWARE || !(evsel->attr.config >> 32) || !evsel->pmu ||
	    event >= XP_ARRAY_LEN(names) || !names[event])
		return false;
	*ret_attr = evsel->attr;
	ret_attr->type = evsel->pmu->type;
	ret_attr->config = 0;
	struct xp_span alias = { names[event], strlen(names[event]) };
	return !xp_pmu_alias_read(evsel->ctx, evsel->pmu->name, alias, &terms) &&
	       !apply(evsel->ctx, evsel->pmu->name, terms, ret_attr);
}

enum xp_step xp_use_own_event(const struct xp_refusal *r)
{
	struct xp_attr attr;

	if (!find(r->evsel, &attr))
		return XP_STEP_NEXT;
	r->evsel->attr = attr;
	return XP_STEP_REOPEN;
}
