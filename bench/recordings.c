/* SPDX-License-Identifier: MIT */
/*
 * Runs recording commands in turn, A B A B ..., and prints the medians of what each cost beyond
 * the load it recorded, and what it got.
 *
 * Usage: recordings ROUNDS COMMAND...    each COMMAND is one argument, split at blanks, in which
 *                                        FILE stands for the file it is to write; it runs `load`
 * Prints, tab separated: wall ms of the load, CPU ms of the recorder, its most memory in MB,
 * samples, lost, bytes per sample, command.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 256, SAMPLE = 9, LOST = 2, LOST_SAMPLES = 13, AUXTRACE = 71 };

enum column { WALL_MS, CPU_MS, MEMORY_MB, SAMPLES, LOST_ONES, BYTES, NR_COLUMNS };

struct header {
	uint64_t magic, size, attr_size, attrs[2], data[2];
};

struct record {
	uint32_t type;
	uint16_t misc, size;
	uint64_t word[2];
};

static char file[64], report[64];

static void run_command(const char *command)
{
	char *argv[ARGS_MAX + 1] = { 0 };
	char *text = strdup(command);
	int nr = 0;

	for (char *arg = strtok(text, " "); arg && nr < ARGS_MAX; arg = strtok(NULL, " "))
		argv[nr++] = strcmp(arg, "FILE") ? arg : file;
	int null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(127);
}

/* LOST records and what LOST_SAMPLES sums up count the same losses: the larger is the truth. */
static void walk(double *values)
{
	uint64_t samples = 0, lost = 0, lost_samples = 0;
	int fd = open(file, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof(struct header))
		return;
	const char *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	const struct header *header = (const struct header *)map;
	uint64_t end = header->data[0] + header->data[1];

	for (uint64_t at = header->data[0]; at + 8 <= end && end <= (uint64_t)st.st_size;) {
		const struct record *record = (const struct record *)(map + at);

		samples += record->type == SAMPLE;
		lost += record->type == LOST ? record->word[1] : 0;
		lost_samples += record->type == LOST_SAMPLES ? record->word[0] : 0;
		if (record->size < 8)
			break;
		at += record->size + (record->type == AUXTRACE ? record->word[0] : 0);
	}
	values[SAMPLES] = (double)samples;
	values[LOST_ONES] = (double)(lost > lost_samples ? lost : lost_samples);
	values[BYTES] = samples ? (double)st.st_size / (double)samples : 0;
	munmap((void *)map, (size_t)st.st_size);
	close(fd);
}

static void measure(const char *command, double *values)
{
	struct rusage usage;
	double load_cpu = 0;
	int status;

	unlink(report);
	pid_t pid = fork();
	if (!pid)
		run_command(command);
	wait4(pid, &status, 0, &usage);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "recordings: '%s' failed\n", command);
		exit(1);
	}
	FILE *in = fopen(report, "r");
	if (!in || fscanf(in, "%lf %lf", &values[WALL_MS], &load_cpu) != 2) {
		fprintf(stderr, "recordings: '%s' has run no load\n", command);
		exit(1);
	}
	fclose(in);
	values[CPU_MS] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
			 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3 - load_cpu;
	values[MEMORY_MB] = (double)usage.ru_maxrss / 1024;
	walk(values);
	unlink(file);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	int nr = argc - 2;

	if (rounds < 1) {
		fprintf(stderr, "Usage: recordings ROUNDS COMMAND...\n");
		return 2;
	}
	snprintf(file, sizeof(file), "/tmp/recordings-%d.data", (int)getpid());
	snprintf(report, sizeof(report), "/tmp/recordings-%d.load", (int)getpid());
	setenv("LOAD_REPORT", report, 1);
	double *values = calloc((size_t)nr * NR_COLUMNS * (size_t)rounds, sizeof(*values));
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < nr; i++) {
			double row[NR_COLUMNS] = { 0 };

			measure(argv[2 + i], row);
			for (int c = 0; c < NR_COLUMNS; c++)
				values[(i * NR_COLUMNS + c) * rounds + round] = row[c];
		}
	for (int i = 0; i < nr; i++) {
		for (int c = 0; c < NR_COLUMNS; c++) {
			double *at = values + (i * NR_COLUMNS + c) * rounds;

			qsort(at, (size_t)rounds, sizeof(*at), by_value);
			printf("%.1f\t", at[rounds / 2]);
		}
		printf("%s\n", argv[2 + i]);
	}
	unlink(report);
	free(values);
	return 0;
}
