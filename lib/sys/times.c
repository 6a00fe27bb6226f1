/* SPDX-License-Identifier: MIT */
/*
 * CPU time of processes, threads and CPUs, in clock ticks of user space (USER_HZ).
 *
 * Source: proc(5), /proc/PID/stat, fields 14 to 17, and /proc/stat.
 */
#include <xperf/cpus.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "ctx.h"

static uint64_t ns_of_ticks(uint64_t ticks)
{
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The name in brackets may hold anything, brackets too. */
static int parse_stat(const char *text, bool with_children, struct xp_times *ret_times)
{
	const char *name_end = strrchr(text, ')');
	uint64_t user, system, child_user, child_system;

	if (!name_end || sscanf(name_end + 1,
				" %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
				" %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
				&user, &system, &child_user, &child_system) != 4)
		return -EINVAL;
	ret_times->user_ns = ns_of_ticks(user + (with_children ? child_user : 0));
	ret_times->system_ns = ns_of_ticks(system + (with_children ? child_system : 0));
	return 0;
}

int xp_times_of_process(struct xp_ctx *ctx, pid_t pid, bool with_children,
			struct xp_times *ret_times)
{
	xp_auto_free char *text = NULL;
	int err = xp_file_read(ctx, &text, NULL, "/proc/%d/stat", (int)pid);

	return err ? err : parse_stat(text, with_children, ret_times);
}

int xp_times_of_thread(struct xp_ctx *ctx, pid_t tid, struct xp_times *ret_times)
{
	xp_auto_free char *text = NULL;
	/* A thread's number is there as a process', too, and among that one's threads. */
	int err = xp_file_read(ctx, &text, NULL, "/proc/%d/task/%d/stat", (int)tid, (int)tid);

	return err ? err : parse_stat(text, false, ret_times);
}

int xp_times_of_cpus(struct xp_ctx *ctx, const struct xp_cpus *cpus, struct xp_times *ret_times)
{
	xp_auto_free char *text = NULL;
	struct xp_times sum = { 0 };
	char *state = NULL;
	int err = xp_file_read(ctx, &text, NULL, "/proc/stat"), nr_found = 0;

	if (err)
		return err;
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		uint64_t user, nice, system, irq, softirq;
		int cpu, values = 0;

		/* The first line, without a number, is of all CPUs. */
		if (cpus ? sscanf(line, "cpu%d%n", &cpu, &values) != 1 ||
				    xp_cpus_find(cpus, (struct xp_cpu){ cpu }) < 0
			 : strncmp(line, "cpu ", values = 4) != 0)
			continue;
		if (sscanf(line + values,
			   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64,
			   &user, &nice, &system, &irq, &softirq) != 5)
			return -EINVAL;
		sum.user_ns += ns_of_ticks(user + nice);
		sum.system_ns += ns_of_ticks(system + irq + softirq);
		nr_found++;
		if (!cpus)
			break;
	}
	if (nr_found != (cpus ? xp_cpus_nr(cpus) : 1))
		return -ENOENT;
	*ret_times = sum;
	return 0;
}
