/* SPDX-License-Identifier: MIT */
/*
 * Runs commands in turn, A B C A B C ..., and prints the medians of their wall and CPU time, so
 * that a change of the machine's mood falls on all of them alike. CPU time includes processes
 * that a command leaves behind.
 *
 * Usage: turns [-m] ROUNDS COMMAND...     each COMMAND is one argument, split at blanks
 * Prints, tab separated: wall ms, CPU ms, with -m the most memory in MB, command.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MAX = 256 };

struct cost {
	double wall_ms;
	double cpu_ms;
	double memory_mb;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double cpu_ms(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e3;
}

static void run_command(const char *command)
{
	char *argv[ARGS_MAX + 1] = { 0 };
	char *text = strdup(command);
	int nr = 0;

	for (char *arg = strtok(text, " "); arg && nr < ARGS_MAX; arg = strtok(NULL, " "))
		argv[nr++] = arg;
	int null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(127);
}

static struct cost measure(const char *command)
{
	struct cost cost = { .wall_ms = -now_ms() };
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid)
		run_command(command);
	wait4(pid, &status, 0, &usage);
	cost.wall_ms += now_ms();
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		fprintf(stderr, "turns: '%s' cannot be run\n", command);
		exit(1);
	}
	cost.cpu_ms = cpu_ms(&usage);
	cost.memory_mb = (double)usage.ru_maxrss / 1024;
	while (wait4(-1, &status, 0, &usage) > 0)
		cost.cpu_ms += cpu_ms(&usage);
	return cost;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int nr)
{
	qsort(values, (size_t)nr, sizeof(*values), by_value);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/* The numbers of a command's rounds, and its line. */
static void print(const struct cost *costs, int rounds, bool with_memory, const char *command)
{
	double *values = calloc((size_t)rounds, sizeof(*values));

	for (size_t offset = 0; offset < (with_memory ? 3 : 2) * sizeof(double);
	     offset += sizeof(double)) {
		for (int i = 0; i < rounds; i++)
			values[i] = *(const double *)((const char *)&costs[i] + offset);
		printf("%.3f\t", median(values, rounds));
	}
	printf("%s\n", command);
	free(values);
}

int main(int argc, char **argv)
{
	bool with_memory = argc > 1 && !strcmp(argv[1], "-m");

	argc -= with_memory;
	argv += with_memory;
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	int nr = argc - 2;

	if (rounds < 1) {
		fprintf(stderr, "Usage: turns [-m] ROUNDS COMMAND...\n");
		return 2;
	}
	struct cost *costs = calloc((size_t)nr * (size_t)rounds, sizeof(*costs));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < nr; i++)
		measure(argv[2 + i]); /* warm the caches */
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < nr; i++)
			costs[i * rounds + round] = measure(argv[2 + i]);
	for (int i = 0; i < nr; i++)
		print(costs + (size_t)i * (size_t)rounds, rounds, with_memory, argv[2 + i]);
	free(costs);
	return 0;
}
