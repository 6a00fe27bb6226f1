/* SPDX-License-Identifier: MIT */
/*
 * Work for tests of lost records.
 *   loss-work spin SECONDS   runs in a chain of calls, main, outer, inner, and makes the file
 *                            "spinning" when half of the time is over
 *   loss-work map TIMES      maps code so often
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) void inner(void)
{
	for (int i = 0; i < 100000; i++)
		sink += (unsigned long)i;
}

__attribute__((noinline)) void outer(void)
{
	inner();
	sink++; /* this is no tail call */
}

static long ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int spin(int seconds)
{
	long first = ms_now(), half = seconds * 500;
	int fd = -1;

	while (ms_now() < first + 2 * half) {
		outer();
		if (fd < 0 && ms_now() >= first + half)
			fd = open("spinning", O_CREAT | O_WRONLY, 0600);
	}
	return 0;
}

static int map(int times)
{
	enum { PAGE = 4096 };
	int fd = open("/proc/self/exe", O_RDONLY);

	for (int i = 0; i < times; i++) {
		void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED)
			return 1;
		munmap(at, PAGE);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	return strcmp(argv[1], "spin") ? map(atoi(argv[2])) : spin(atoi(argv[2]));
}
