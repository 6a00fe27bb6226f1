/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on every file of a corpus, so that it is an ordinary test without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path)
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
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static int run_dir(const char *path)
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
		run_file(file);
		nr++;
	}
	closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	int nr = 0;

	for (int i = 1; i < argc; i++)
		nr += run_dir(argv[i]);
	printf("%d inputs\n", nr);
	return nr ? 0 : 1;
}
