/* SPDX-License-Identifier: MIT */
/*
 * Two processes, proc1 and proc2, hand a byte to and fro through pipes: each waits for the other
 * once per round. They share one CPU, and as batch tasks neither is interrupted by waking the
 * other (sched(7), SCHED_BATCH), so a round is one switch away from each.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

struct pipes {
	int there[2]; /* proc1 to proc2 */
	int back[2];
};

KEEP static int context_switch_loop_proc1(const struct pipes *pipes, long rounds)
{
	char byte = 0;

	prctl(PR_SET_NAME, "proc1");
	while (rounds--)
		if (write(pipes->there[1], &byte, 1) != 1 || read(pipes->back[0], &byte, 1) != 1)
			return 1;
	return 0;
}

KEEP static int context_switch_loop_proc2(const struct pipes *pipes, long rounds)
{
	char byte;

	prctl(PR_SET_NAME, "proc2");
	while (rounds--)
		if (read(pipes->there[0], &byte, 1) != 1 || write(pipes->back[1], &byte, 1) != 1)
			return 1;
	return 0;
}

/* What cannot be had here makes the count less exact and nothing worse. */
static void share_one_cpu(void)
{
	const struct sched_param param = { 0 };
	int cpu = sched_getcpu();
	cpu_set_t set[8];

	CPU_ZERO_S(sizeof(set), set);
	if (cpu >= 0)
		CPU_SET_S((size_t)cpu, sizeof(set), set);
	sched_setaffinity(0, sizeof(set), set);
	sched_setscheduler(0, SCHED_BATCH, &param);
}

int context_switch_loop(int argc, char **argv)
{
	struct pipes pipes;
	long rounds = 1000;
	int status = 0;

	if (workload_number(argc, argv, 1, LONG_MAX, &rounds))
		return 1;
	if (pipe(pipes.there) || pipe(pipes.back)) {
		perror("Error: context_switch_loop");
		return 1;
	}
	share_one_cpu();
	pid_t pid = fork();
	if (!pid) {
		/* The other side's ends, so that its death is seen. */
		close(pipes.there[1]);
		close(pipes.back[0]);
		_exit(context_switch_loop_proc2(&pipes, rounds));
	}
	close(pipes.there[0]);
	close(pipes.back[1]);
	int failed = pid < 0 ? 1 : context_switch_loop_proc1(&pipes, rounds);
	close(pipes.there[1]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || failed || status) {
		fprintf(stderr, "Error: context_switch_loop: the other process has failed\n");
		return 1;
	}
	return 0;
}
