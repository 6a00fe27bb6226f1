/* SPDX-License-Identifier: MIT */
/*
 * Commands that perf has and xperf has not: what each is for, and what to use here. That perf's
 * commands read recordings of xperf was tried with perf 6.1.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* @what: what the command shows or does; @instead: the nearest thing, which ends the sentence. Both
 * are also in xperf(1): golden/habits compares them. */
static const struct perf_command {
	const char *name, *what, *instead;
} perf_commands[] = {
	{ "bench", "benchmarks of the kernel",
	  "use 'perf bench', or 'xperf test -w NAME' for programs with known behaviour" },
	{ "c2c", "cache lines that CPUs take from each other",
	  "use 'xperf record -d -W' and 'xperf report --mem-mode', or 'perf c2c report -i FILE'" },
	{ "daemon", "recordings in the background",
	  "use 'xperf record --control' and 'xperf record --switch-output'" },
	{ "ftrace", "the kernel's function tracer",
	  "use 'xperf record -e kprobe:FUNCTION' for single functions, or trace-cmd" },
	{ "iostat", "traffic of PCIe root ports",
	  "use 'xperf stat -a -e EVENT' with events of 'xperf list pmu'" },
	{ "kallsyms", "the address of a kernel function", "use 'grep NAME /proc/kallsyms'" },
	{ "kmem", "memory that the kernel allocates",
	  "use 'xperf record -g -e \"kmem:*\"' and 'xperf report', or 'perf kmem -i FILE stat'" },
	{ "kvm", "what ends the time of virtual machines",
	  "use 'xperf stat -a -e \"kvm:*\"', or 'xperf record -a -e \"kvm:*\"' and 'perf kvm -i "
	  "FILE stat report'" },
	{ "kwork", "interrupts and queued work of the kernel",
	  "use 'xperf record -a -e \"irq:*\"' and 'perf kwork report -i FILE'" },
	{ "lock", "locks that are waited for",
	  "use 'xperf record --off-cpu' for locks of programs, or 'xperf record -a -e "
	  "\"lock:*\"' and 'perf lock contention -i FILE'" },
	{ "mem", "memory accesses and their cost",
	  "use 'xperf record -d -W' and 'xperf report --mem-mode'" },
	{ "probe", "probes with a name",
	  "use 'xperf record -e uprobe:FILE:FUNCTION' or '-e kprobe:FUNCTION', which need no "
	  "name" },
	{ "sched", "how long tasks run and wait",
	  "use 'xperf record --sched' and 'xperf report --sched', or 'perf sched timehist -i FILE' "
	  "for single switches" },
	{ "timechart", "a picture of what ran when",
	  "use the timeline of 'xperf view', or 'perf timechart -i FILE'" },
	{ "trace", "system calls, as strace shows them",
	  "use 'xperf record --syscalls' and 'xperf report --syscalls' for their sums, or 'perf "
	  "trace -i FILE' for each of them" },
};

/* Returns how much of a sentence is of use to who calls us perf: to use perf leads back here. */
static int without_perf(const char *instead)
{
	const char *perf = strstr(instead, "'perf "), *end = perf;

	while (end && end > instead && *end != ',' && strncmp(end, " and ", 5) != 0)
		end--;
	return (int)(perf ? end - instead : (ptrdiff_t)strlen(instead));
}

bool command_is_perfs(const char *name)
{
	bool is_perf = !strcmp(program_invocation_short_name, "perf");

	for (size_t i = 0; i < sizeof(perf_commands) / sizeof(perf_commands[0]); i++) {
		const struct perf_command *c = &perf_commands[i];

		if (strcmp(c->name, name) != 0)
			continue;
		/* Not by the name of a link: "perf" is what the sentence says to use. */
		fprintf(stderr, "xperf has no command '%s' (%s): %.*s\n", name, c->what,
			is_perf ? without_perf(c->instead) : (int)strlen(c->instead), c->instead);
		return true;
	}
	return false;
}
