/* SPDX-License-Identifier: MIT */
/*
 * Names of the generic hardware events, the software events and the tool events.
 *
 * Source: perf_event_open(2), "PERF_TYPE_HARDWARE" and "PERF_TYPE_SOFTWARE"; the names and their
 * second names: perf-list(1), perf 6.1.
 */
#include "event-names.h"

#include "cleanup.h"
#include "suggest.h"
#include "uapi.h"

#define HARDWARE(name, id)                                                                         \
	{                                                                                          \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, XP_TOOL_NONE                         \
	}
#define SOFTWARE(name, id)                                                                         \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, XP_TOOL_NONE                         \
	}
#define TOOL(name, id)                                                                             \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, XP_TOOL_##id                        \
	}

/* Linux 5.13; the installed header may be older */
#define PERF_COUNT_SW_CGROUP_SWITCHES 11

static const struct xp_event_name names[] = {
	HARDWARE("cycles", CPU_CYCLES),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),

	SOFTWARE("cpu-clock", CPU_CLOCK),
	SOFTWARE("task-clock", TASK_CLOCK),
	SOFTWARE("page-faults", PAGE_FAULTS),
	SOFTWARE("faults", PAGE_FAULTS),
	SOFTWARE("context-switches", CONTEXT_SWITCHES),
	SOFTWARE("cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
	SOFTWARE("migrations", CPU_MIGRATIONS),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", EMULATION_FAULTS),
	SOFTWARE("dummy", DUMMY),
	SOFTWARE("bpf-output", BPF_OUTPUT),
	SOFTWARE("cgroup-switches", CGROUP_SWITCHES),

	TOOL("duration_time", DURATION_TIME),
	TOOL("user_time", USER_TIME),
	TOOL("system_time", SYSTEM_TIME),
};

const struct xp_event_name *xp_event_name_find(struct xp_span name)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(names); i++)
		if (xp_span_equals(name, names[i].name))
			return &names[i];
	return NULL;
}

void xp_event_names_offer(struct xp_suggest *suggest)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(names); i++)
		xp_suggest_offer(suggest, names[i].name);
}
