/* SPDX-License-Identifier: MIT */
/* Threads called thread1, thread2, ..., each in a function of its own name. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "workload.h"

static volatile unsigned int work;

#define THREAD(nr)                                                                                 \
	KEEP static void *named_threads_thread##nr(void *arg)                                      \
	{                                                                                          \
		prctl(PR_SET_NAME, "thread" #nr);                                                  \
		while (!workload_done)                                                             \
			work++;                                                                    \
		return arg;                                                                        \
	}

THREAD(1)
THREAD(2)
THREAD(3)
THREAD(4)
THREAD(5)
THREAD(6)
THREAD(7)
THREAD(8)
THREAD(9)
THREAD(10)
THREAD(11)
THREAD(12)
THREAD(13)
THREAD(14)
THREAD(15)
THREAD(16)

static void *(*const bodies[])(void *arg) = {
	named_threads_thread1,  named_threads_thread2,  named_threads_thread3,
	named_threads_thread4,  named_threads_thread5,  named_threads_thread6,
	named_threads_thread7,  named_threads_thread8,  named_threads_thread9,
	named_threads_thread10, named_threads_thread11, named_threads_thread12,
	named_threads_thread13, named_threads_thread14, named_threads_thread15,
	named_threads_thread16,
};

enum { THREADS_MAX = sizeof(bodies) / sizeof(bodies[0]) };

int named_threads(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long nr = 2, started = 0;
	int err = 0;

	if (workload_number(argc, argv, 1, THREADS_MAX, &nr) || workload_start_timer(argc, argv, 2))
		return 1;
	for (; started < nr && !err; started += !err)
		err = pthread_create(&threads[started], NULL, bodies[started], NULL);
	if (err) {
		fprintf(stderr, "Error: %s: cannot start a thread: %s\n", argv[0], strerror(err));
		workload_done = 1;
	}
	while (started-- > 0)
		pthread_join(threads[started], NULL);
	return err ? 1 : 0;
}
