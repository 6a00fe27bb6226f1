/* SPDX-License-Identifier: MIT */
/*
 * Names of the generic hardware events, the software events and the tool events.
 *
 * Source: perf_event_open(2), "PERF_TYPE_HARDWARE" and "PERF_TYPE_SOFTWARE"; the names and their
 * second names: perf-list(1), perf 6.1; of the tool events that are no times: perf 7.2.
 */
#include <xperf/suggest.h>

#include "event-names.h"

#include "cleanup.h"
#include "suggest.h"
#include "uapi.h"

#define HARDWARE(name, id, desc)                                                                   \
	{                                                                                          \
		name, XP_TYPE_HARDWARE, PERF_COUNT_HW_##id, XP_TOOL_NONE, desc                     \
	}
#define SOFTWARE(name, id, desc)                                                                   \
	{                                                                                          \
		name, XP_TYPE_SOFTWARE, XP_SW_##id, XP_TOOL_NONE, desc                             \
	}
#define TOOL(name, id, desc)                                                                       \
	{                                                                                          \
		name, XP_TYPE_SOFTWARE, XP_SW_DUMMY, XP_TOOL_##id, desc                            \
	}

/* Linux 5.13; the installed header may be older */
#define XP_SW_CGROUP_SWITCHES 11

/* A second name follows the first. */
static const struct xp_event_name names[] = {
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, ""),
	HARDWARE("branch-misses", BRANCH_MISSES, "branches that were predicted wrongly"),
	HARDWARE("bus-cycles", BUS_CYCLES, "bus cycles, which may differ from core cycles"),
	HARDWARE("cache-misses", CACHE_MISSES, "accesses that missed the last-level cache"),
	HARDWARE("cache-references", CACHE_REFERENCES, "accesses to the last-level cache"),
	HARDWARE("cpu-cycles", CPU_CYCLES, "cycles of the core at the frequency it ran at"),
	HARDWARE("cycles", CPU_CYCLES, ""),
	HARDWARE("instructions", INSTRUCTIONS, "instructions retired"),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, "cycles at a frequency that does not change"),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND,
		 "cycles in which nothing retired, waiting for data or units"),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND, ""),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "cycles in which nothing was issued, waiting for instructions"),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND, ""),

	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS,
		 "unaligned accesses that the kernel "
		 "corrected"),
	SOFTWARE("bpf-output", BPF_OUTPUT, "what BPF programs write; counts nothing"),
	SOFTWARE("cgroup-switches", CGROUP_SWITCHES, "switches to a task of another cgroup"),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, "times the task left its CPU"),
	SOFTWARE("cs", CONTEXT_SWITCHES, ""),
	SOFTWARE("cpu-clock", CPU_CLOCK, "time, by the CPU's timer"),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, "times the task moved to another CPU"),
	SOFTWARE("migrations", CPU_MIGRATIONS, ""),
	SOFTWARE("dummy", DUMMY, "counts nothing; carries records of other events"),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, "instructions that the kernel emulated"),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, "page faults that had to wait for a disk"),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, "page faults that did not wait for a disk"),
	SOFTWARE("page-faults", PAGE_FAULTS, "page faults of both kinds"),
	SOFTWARE("faults", PAGE_FAULTS, ""),
	SOFTWARE("task-clock", TASK_CLOCK, "time the task was running"),

	TOOL("duration_time", DURATION_TIME, "wall time, nanoseconds"),
	TOOL("user_time", USER_TIME, "time in user space, nanoseconds"),
	TOOL("system_time", SYSTEM_TIME, "time in the kernel, nanoseconds"),
	TOOL("core_wide", CORE_WIDE, "1 if everything that runs on the cores is counted, else 0"),
	TOOL("has_pmem", HAS_PMEM, "1 if the firmware describes persistent memory, else 0"),
	TOOL("max_rss", MAX_RSS, "largest resident size of the command, bytes"),
	TOOL("num_cores", NUM_CORES, "cores with a CPU that is online"),
	TOOL("num_cpus", NUM_CPUS, "CPUs that are present"),
	TOOL("num_cpus_online", NUM_CPUS_ONLINE, "CPUs that are online"),
	TOOL("num_dies", NUM_DIES, "dies with a CPU that is online"),
	TOOL("num_packages", NUM_PACKAGES, "packages with a CPU that is online"),
	TOOL("slots", SLOTS, "slots for operations in a cycle, arm64"),
	TOOL("smt_on", SMT_ON, "1 if cores have two or more CPUs that are online, else 0"),
	TOOL("system_tsc_freq", SYSTEM_TSC_FREQ, "frequency of x86's time stamp counter, Hz"),
	TOOL("target_cpu", TARGET_CPU, "1 if CPUs are counted, 0 if tasks are"),
};

const struct xp_event_name *xp_event_name_at(size_t idx)
{
	return idx < XP_ARRAY_LEN(names) ? &names[idx] : NULL;
}

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
