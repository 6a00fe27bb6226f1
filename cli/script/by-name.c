/* SPDX-License-Identifier: MIT */
/* The scripts that come with perf, by their names, and what shows the same here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "escape.h"
#include "python.h"

#define WITH_SCRIPT "use 'xperf script -s FILE', with perf's file"

static const struct {
	const char *name, *instead;
} scripts[] = {
	{ "compaction-times", "use 'xperf record -e \"compaction:*\"' and 'xperf script'" },
	{ "event_analyzing_sample", "use 'xperf export -f sqlite'" },
	{ "export-to-postgresql", "use 'xperf export -f sqlite'" },
	{ "export-to-sqlite", "use 'xperf export -f sqlite'" },
	{ "failed-syscalls", "use 'xperf record -e raw_syscalls:sys_exit' and 'xperf script'" },
	{ "failed-syscalls-by-pid",
	  "use 'xperf record -e raw_syscalls:sys_exit --filter \"ret < 0\"' and 'xperf report -s "
	  "pid'" },
	{ "flamegraph", "use 'xperf flamegraph'" },
	{ "futex-contention", "use 'xperf record --off-cpu' and 'xperf report'" },
	{ "gecko", "use 'xperf export -f firefox'" },
	{ "intel-pt-events", "traces of processors are not decoded; use 'perf script -i FILE'" },
	{ "mem-phys-addr", "use 'xperf report -s phys_daddr'" },
	{ "net_dropmonitor", "use 'xperf record -g -e skb:kfree_skb' and 'xperf report'" },
	{ "netdev-times", WITH_SCRIPT },
	{ "powerpc-hcalls", WITH_SCRIPT },
	{ "rw-by-file", "use 'xperf record -e \"syscalls:sys_enter_*\"' and 'xperf report'" },
	{ "rw-by-pid", "use 'xperf record -e \"syscalls:sys_enter_*\"' and 'xperf report'" },
	{ "rwtop", "use 'xperf record -e \"syscalls:sys_enter_*\"' and 'xperf report'" },
	{ "sched-migration", "use 'xperf record -a -e sched:sched_migrate_task' and 'xperf view'" },
	{ "sctop", "use 'xperf record -a -e raw_syscalls:sys_enter' and 'xperf report'" },
	{ "stackcollapse", "use 'xperf export -f folded'" },
	{ "syscall-counts", "use 'xperf stat -a -e \"syscalls:sys_enter_*\"'" },
	{ "syscall-counts-by-pid",
	  "use 'xperf record -e raw_syscalls:sys_enter' and 'xperf report -s pid'" },
	{ "wakeup-latency", "use 'xperf record --off-cpu --wakers' and 'xperf report -s waker'" },
	{ "workqueue-stats", "use 'xperf record -a -e \"workqueue:*\"' and 'xperf report'" },
};

enum { NR_SCRIPTS = sizeof(scripts) / sizeof(scripts[0]) };

/* What is to be used instead; @name may be NULL. */
static const char *instead_of(const char *name)
{
	if (!name)
		return "use 'xperf script -l' for what replaces them";
	for (size_t i = 0; i < NR_SCRIPTS; i++)
		if (!strcmp(scripts[i].name, name))
			return scripts[i].instead;
	return WITH_SCRIPT;
}

bool script_has_replacement(const char *name)
{
	return strcmp(instead_of(name), WITH_SCRIPT) != 0;
}

int script_refuse(const char *what, const char *name)
{
	fprintf(stderr, "Error: 'script %s", what);
	if (name) {
		fputc(' ', stderr);
		escape_print(stderr, name);
	}
	fprintf(stderr, "' runs a script that comes with perf: %s\n", instead_of(name));
	return EXIT_USAGE;
}

char *script_find(const char *name)
{
	const char *const places[] = { getenv("PERF_EXEC_PATH"), "/usr/lib/perf-core",
				       "/usr/libexec/perf-core" };
	char *path;

	for (size_t i = 0; !strchr(name, '/') && i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i])
			continue;
		if (asprintf(&path, "%s/scripts/python/%s.py", places[i], name) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

void scripts_list(void)
{
	puts("Scripts that come with perf, and what to use here:\n");
	for (size_t i = 0; i < NR_SCRIPTS; i++)
		printf("  %-24s %s\n", scripts[i].name, scripts[i].instead);
}
