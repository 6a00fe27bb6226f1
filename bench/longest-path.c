/* SPDX-License-Identifier: MIT */
/*
 * How much CPU time lies on the longest path through a program's threads: what its wall time would
 * be with a CPU for each, whatever else runs on the machine. A thread's path begins where its
 * creator was, and whoever joins it goes on from the longer of both. Time that threads wait for
 * each other otherwise is not counted.
 *
 * Usage: LD_PRELOAD=longest-path.so COMMAND     prints on standard error at its end:
 * "longest-path: N ms of N ms"
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS_MAX = 65536 };

struct thread {
	void *(*fn)(void *arg);
	void *arg;
	pthread_t id;
	double start_ms, end_ms;
};

static struct thread *threads[THREADS_MAX];
static int nr_threads; /* threads are created by one thread at a time */
static __thread double waited_ms;

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return waited_ms + (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void *run(void *data)
{
	struct thread *thread = data;

	waited_ms = thread->start_ms;
	void *ret = thread->fn(thread->arg);
	thread->end_ms = now_ms();
	return ret;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *arg), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
			RTLD_NEXT, "pthread_create");
	struct thread *thread = calloc(1, sizeof(*thread));

	if (!thread || nr_threads == THREADS_MAX)
		abort();
	*thread = (struct thread){ .fn = fn, .arg = arg, .start_ms = now_ms() };
	int err = real(id, attr, run, thread);
	thread->id = *id;
	threads[nr_threads++] = thread;
	return err;
}

int pthread_join(pthread_t id, void **ret)
{
	int (*real)(pthread_t, void **) =
		(int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
	int err = real(id, ret);

	for (int i = nr_threads; i-- > 0;) {
		struct thread *thread = threads[i];

		if (!thread || thread->id != id)
			continue;
		if (thread->end_ms > now_ms())
			waited_ms += thread->end_ms - now_ms();
		threads[i] = NULL;
		break;
	}
	return err;
}

static double ms_of(const struct timeval *tv)
{
	return (double)tv->tv_sec * 1e3 + (double)tv->tv_usec / 1e3;
}

static __attribute__((destructor)) void print(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "longest-path: %.1f ms of %.1f ms\n", now_ms(),
		ms_of(&usage.ru_utime) + ms_of(&usage.ru_stime));
}
