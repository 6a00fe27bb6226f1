/* SPDX-License-Identifier: MIT */
/* test_loop() in the main thread and in others. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "workload.h"

enum { THREADS_MAX = 1000 };

static volatile unsigned int counted;

KEEP static void test_loop(void)
{
	while (!workload_done)
		counted++;
}

KEEP static void *thfunc(void *arg)
{
	test_loop();
	return arg;
}

int thloop(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long nr = 2, started = 1;
	int err = 0;

	if (workload_number(argc, argv, 2, THREADS_MAX, &nr) || workload_start_timer(argc, argv, 1))
		return 1;
	for (; started < nr && !err; started += !err)
		err = pthread_create(&threads[started], NULL, thfunc, NULL);
	if (err)
		fprintf(stderr, "Error: %s: cannot start a thread: %s\n", argv[0], strerror(err));
	else
		test_loop();
	workload_done = 1;
	while (--started > 0)
		pthread_join(threads[started], NULL);
	return err ? 1 : 0;
}
