/* SPDX-License-Identifier: MIT */
/*
 * The floor under everything that reads a recording: it is mapped, and its records are walked over
 * once, looking at nothing but type and size. Prints their number and that of samples.
 *
 * Usage: walk FILE
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 9, AT_DATA = 40, HEADER = 8 };

struct record {
	uint32_t type;
	uint16_t misc, size;
};

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	uint64_t section[2], records = 0, samples = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size < AT_DATA + (off_t)sizeof(section))
		return 2;
	const uint8_t *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return 1;
	memcpy(section, file + AT_DATA, sizeof(section));
	uint64_t at = section[0], end = section[0] + section[1];
	while (at + HEADER <= end && end <= (uint64_t)st.st_size) {
		const struct record *record = (const struct record *)(file + at);

		if (record->size < HEADER)
			return 1;
		records++;
		samples += record->type == SAMPLE;
		at += record->size;
	}
	printf("%llu records, %llu samples\n", (unsigned long long)records,
	       (unsigned long long)samples);
	return 0;
}
