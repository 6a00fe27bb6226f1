/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on every file of a corpus, so that it is an ordinary test without a fuzzer.
 * Many targets are one program: `fuzz-replay TARGET DIR...`.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target_fn(const uint8_t *data, size_t size);

/* Made by CMake: TARGET(function, "name"), a line for each target. */
#define TARGET(function, name) target_fn function;
#include XPERF_TARGET_LIST
#undef TARGET

static const struct target {
	const char *name;
	target_fn *run;
} targets[] = {
#define TARGET(function, name) { name, function },
#include XPERF_TARGET_LIST
#undef TARGET
};

enum { NR_TARGETS = sizeof(targets) / sizeof(targets[0]) };

static void run_file(target_fn *run, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, room = 0;

	if (!file) {
		perror(path);
		exit(1);
	}
	do {
		room += 65536;
		data = realloc(data, room);
		if (!data)
			abort();
		size += fread(data + size, 1, room - size, file);
	} while (size == room);
	fclose(file);
	/* As large as it is: a sanitizer sees what is read beyond. */
	data = realloc(data, size ? size : 1);
	if (!data)
		abort();
	run(data, size);
	free(data);
}

static int run_dir(target_fn *run, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int nr = 0;

	if (!dir) {
		perror(path);
		exit(1);
	}
	while ((entry = readdir(dir))) {
		char file[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		run_file(run, file);
		nr++;
	}
	closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	target_fn *run = NULL;
	int nr = 0;

	for (int i = 0; argc > 1 && i < NR_TARGETS; i++)
		if (!strcmp(argv[1], targets[i].name))
			run = targets[i].run;
	if (!run) {
		fprintf(stderr, "fuzz-replay TARGET DIR...: one of %d targets\n", NR_TARGETS);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		nr += run_dir(run, argv[i]);
	printf("%d inputs\n", nr);
	return nr ? 0 : 1;
}
