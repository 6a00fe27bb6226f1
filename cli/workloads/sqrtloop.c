/* SPDX-License-Identifier: MIT */
/* Square roots in a child process, while the parent waits: costly instructions, a fork. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

static volatile double root;

KEEP static void sqrtloop_child(void)
{
	double number = 1;

	while (!workload_done) {
		root = __builtin_sqrt(number);
		number = number < 1e9 ? number + 1 : 1;
	}
}

int sqrtloop(int argc, char **argv)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(workload_start_timer(argc, argv, 1) ? 1 : (sqrtloop_child(), 0));
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("Error: sqrtloop");
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
