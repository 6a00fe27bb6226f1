/* SPDX-License-Identifier: MIT */
/*
 * The same work each time, for comparing counts exactly: @rounds times deterministic(), and one
 * page fault per page of an area nobody has touched before.
 */
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

enum { PAGES = 256 };

/* Transparent huge pages would make one fault of many. */
static int touch_pages(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED) {
		perror("Error: deterministic");
		return -1;
	}
	madvise((void *)area, PAGES * page_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		area[i * page_bytes] = 1;
	return munmap((void *)area, PAGES * page_bytes);
}

int deterministic_loop(int argc, char **argv)
{
	long rounds = 1;

	if (workload_number(argc, argv, 1, LONG_MAX, &rounds) || touch_pages())
		return 1;
	while (rounds--)
		deterministic();
	return 0;
}
