/* SPDX-License-Identifier: MIT */
/*
 * Words of the scenario: kinds of events with what perf_event_open() calls them, signals, errnos;
 * and the small helpers everything here uses.
 * Source: perf_event_open(2), "type" and "config"; the raw codes are Intel's architectural events.
 */
#include "model.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define HW(name, config, code)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_HARDWARE, config, KIND_USER, code                                  \
	}
#define SW(name, config, traits)                                                                   \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, config, traits, 0                                        \
	}
#define TP(name, id)                                                                               \
	{                                                                                          \
		name, PERF_TYPE_TRACEPOINT, id, 0, 0                                               \
	}
/* In whose samples it would itself happen. */
#define UNSAMPLED_TP(name, id)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_TRACEPOINT, id, KIND_UNSAMPLED, 0                                  \
	}
#define CACHE(name, cache, op, result)                                                             \
	{                                                                                          \
		name, PERF_TYPE_HW_CACHE, (cache) | (op) << 8 | (result) << 16, KIND_USER, 0       \
	}
#define TOPDOWN(name, code)                                                                        \
	{                                                                                          \
		name, PERF_TYPE_RAW, code, KIND_USER | KIND_ABSENT, code                           \
	}

/* The order of the first rows is that of the KIND_ names in model.h. */
static const struct kind builtin[] = {
	HW("cycles", PERF_COUNT_HW_CPU_CYCLES, 0x003c),
	HW("instructions", PERF_COUNT_HW_INSTRUCTIONS, 0x00c0),
	HW("cache-references", PERF_COUNT_HW_CACHE_REFERENCES, 0x4f2e),
	HW("cache-misses", PERF_COUNT_HW_CACHE_MISSES, 0x412e),
	HW("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x00c4),
	HW("branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 0x00c5),
	HW("bus-cycles", PERF_COUNT_HW_BUS_CYCLES, 0x013c),
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  KIND_USER | KIND_ABSENT, 0 },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  KIND_USER | KIND_ABSENT, 0 },
	HW("ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, 0x0300),
	SW("cpu-clock", PERF_COUNT_SW_CPU_CLOCK, KIND_CLOCK | KIND_USER),
	SW("task-clock", PERF_COUNT_SW_TASK_CLOCK, KIND_CLOCK | KIND_USER),
	SW("page-faults", PERF_COUNT_SW_PAGE_FAULTS, KIND_USER),
	SW("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, 0),
	SW("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, 0),
	SW("minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, KIND_USER),
	SW("major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, KIND_USER),
	SW("alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS, KIND_USER),
	SW("emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS, KIND_USER),
	SW("dummy", PERF_COUNT_SW_DUMMY, 0),
	SW("bpf-output", PERF_COUNT_SW_BPF_OUTPUT, 0),
	SW("cgroup-switches", 11, 0),
	TP("sched:sched_switch", 301),
	TP("sched:sched_process_fork", 302),
	TP("sched:sched_process_exec", 303),
	TP("sched:sched_process_exit", 304),
	TP("sched:sched_wakeup", 305),
	TP("raw_syscalls:sys_enter", 401),
	TP("raw_syscalls:sys_exit", 402),
	TP("syscalls:sys_enter_read", 411),
	TP("syscalls:sys_enter_write", 412),
	TP("syscalls:sys_exit_write", 413),
	TP("exceptions:page_fault_user", 421),
	UNSAMPLED_TP("irq_vectors:irq_work_exit", 431),
	CACHE("L1-dcache-loads", 0, 0, 0),
	CACHE("L1-dcache-load-misses", 0, 0, 1),
	CACHE("L1-dcache-stores", 0, 1, 0),
	CACHE("L1-dcache-prefetches", 0, 2, 0),
	CACHE("L1-dcache-prefetch-misses", 0, 2, 1),
	CACHE("L1-icache-loads", 1, 0, 0),
	CACHE("L1-icache-load-misses", 1, 0, 1),
	CACHE("LLC-loads", 2, 0, 0),
	CACHE("LLC-load-misses", 2, 0, 1),
	CACHE("LLC-stores", 2, 1, 0),
	CACHE("LLC-store-misses", 2, 1, 1),
	CACHE("dTLB-loads", 3, 0, 0),
	CACHE("dTLB-load-misses", 3, 0, 1),
	CACHE("dTLB-stores", 3, 1, 0),
	CACHE("dTLB-store-misses", 3, 1, 1),
	CACHE("iTLB-loads", 4, 0, 0),
	CACHE("iTLB-load-misses", 4, 0, 1),
	CACHE("branch-loads", 5, 0, 0),
	CACHE("branch-load-misses", 5, 0, 1),
	/* of the top-down method; the names are those of Intel's files in sysfs */
	TOPDOWN("slots", 0x0400),
	TOPDOWN("topdown-retiring", 0x8000),
	TOPDOWN("topdown-bad-spec", 0x8100),
	TOPDOWN("topdown-fe-bound", 0x8200),
	TOPDOWN("topdown-be-bound", 0x8300),
	TOPDOWN("topdown-heavy-ops", 0x8400),
	TOPDOWN("topdown-br-mispredict", 0x8500),
	TOPDOWN("topdown-fetch-lat", 0x8600),
	TOPDOWN("topdown-mem-bound", 0x8700),
};

int builtin_kinds(struct kind *kinds)
{
	memcpy(kinds, builtin, sizeof(builtin));
	return (int)ARRAY_LEN(builtin);
}

struct word {
	const char *name;
	int value;
};

static const struct word signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },   { "QUIT", SIGQUIT }, { "KILL", SIGKILL },
	{ "SEGV", SIGSEGV }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
	{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "CHLD", SIGCHLD },
};

static const struct word errnos[] = {
	{ "EPERM", EPERM },     { "ENOENT", ENOENT }, { "ESRCH", ESRCH },
	{ "EINTR", EINTR },     { "EIO", EIO },       { "E2BIG", E2BIG },
	{ "EBADF", EBADF },     { "ECHILD", ECHILD }, { "EAGAIN", EAGAIN },
	{ "ENOMEM", ENOMEM },   { "EACCES", EACCES }, { "EFAULT", EFAULT },
	{ "EBUSY", EBUSY },     { "ENODEV", ENODEV }, { "EINVAL", EINVAL },
	{ "ENFILE", ENFILE },   { "EMFILE", EMFILE }, { "ENOSPC", ENOSPC },
	{ "EPIPE", EPIPE },     { "ENOSYS", ENOSYS }, { "EOPNOTSUPP", EOPNOTSUPP },
	{ "ENOEXEC", ENOEXEC },
};

static int value_of(const struct word *words, size_t nr, const char *name)
{
	char *end;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i].name, name))
			return words[i].value;
	long value = strtol(name, &end, 10);
	return *name && !*end && value > 0 && value < 4096 ? (int)value : -1;
}

int signal_by_name(const char *name)
{
	return value_of(signals, ARRAY_LEN(signals), name);
}

int errno_by_name(const char *name)
{
	return value_of(errnos, ARRAY_LEN(errnos), name);
}

void *xalloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

char *xstrdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		abort();
	return copy;
}

void vec_add(struct vec *vec, void *item)
{
	if (vec->nr == vec->cap) {
		vec->cap = vec->cap ? vec->cap * 2 : 8;
		vec->at = realloc(vec->at, (size_t)vec->cap * sizeof(vec->at[0]));
		if (!vec->at)
			abort();
	}
	vec->at[vec->nr++] = item;
}

void vec_remove(struct vec *vec, const void *item)
{
	for (int i = 0; i < vec->nr; i++) {
		if (vec->at[i] != item)
			continue;
		memmove(vec->at + i, vec->at + i + 1,
			(size_t)(vec->nr - i - 1) * sizeof(vec->at[0]));
		vec->nr--;
		return;
	}
}

void vec_fini(struct vec *vec)
{
	free(vec->at);
	*vec = (struct vec){ 0 };
}
