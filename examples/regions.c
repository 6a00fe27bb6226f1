/* SPDX-License-Identifier: MIT */
/*
 * regions: parts of a program counted by name.
 *
 *     XPERF_REGIONS=- XPERF_EVENTS=task-clock,page-faults regions [THREADS]
 *
 * Compiled without -DXPERF_REGIONS the macros are nothing; without XPERF_REGIONS in the environment
 * they cost a load and a branch. The summary is written when the program ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/regions.h>

enum { MOST_THREADS = 64, BYTES = 1 << 20 };

static void *work(void *unused)
{
	XP_REGION_BEGIN("work");
	for (int i = 0; i < 3; i++) {
		char *memory;

		XP_REGION_BEGIN("allocate");
		memory = (char *)calloc(1, BYTES);
		XP_REGION_END("allocate");
		if (memory) {
			XP_REGION_SCOPE("fill");
			memset(memory, i, BYTES);
			__asm__ volatile("" : : "r"(memory) : "memory");
		}
		free(memory);
	}
	XP_REGION_END("work");
	return unused;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 2, started = 0;
	pthread_t threads[MOST_THREADS];

	while (started < nr && started < MOST_THREADS &&
	       !pthread_create(&threads[started], NULL, work, NULL))
		started++;
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads did their work\n", started);
	return 0;
}
