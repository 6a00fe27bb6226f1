/* SPDX-License-Identifier: MIT */
/*
 * What running a command takes without any tool: fork, exec, wait. Prints the median wall time,
 * milliseconds.
 *
 * Usage: spawn ROUNDS COMMAND [ARGS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double run(char **argv)
{
	double begin = now_ms();
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		exit(1);
	return now_ms() - begin;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	double *times = rounds > 0 ? calloc((size_t)rounds, sizeof(*times)) : NULL;

	if (!times) {
		fprintf(stderr, "usage: spawn ROUNDS COMMAND [ARGS]\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++)
		times[i] = run(argv + 2);
	qsort(times, (size_t)rounds, sizeof(*times), compare);
	printf("%.4f\n", times[rounds / 2]);
	free(times);
	return 0;
}
