/* SPDX-License-Identifier: MIT
 *
 * Points whose chains lead through libc, libraries, the vDSO, other threads and processes.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "library.h"
#include "truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TRUTH_NOINLINE static int compare(const void *a, const void *b)
{
	static int nr_points;
	int result = *(const int *)a - *(const int *)b;

	TRUTH_ENTER();
	if (nr_points < 8) {
		nr_points++;
		TRUTH_POINT("qsort");
	}
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int find(const void *a, const void *b)
{
	TRUTH_ENTER();
	TRUTH_POINT("bsearch");
	TRUTH_LEAVE();
	return *(const int *)a - *(const int *)b;
}

TRUTH_NOINLINE static void sort(void)
{
	/* Not in line. */
	void *(*volatile search)(const void *, const void *, size_t, size_t,
				 int (*)(const void *, const void *)) = bsearch;
	int numbers[64], wanted = 5;

	TRUTH_ENTER();
	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	qsort(numbers, 64, sizeof(*numbers), compare);
	if (!search(&wanted, numbers, 64, sizeof(*numbers), find))
		abort();
	TRUTH_LEAVE();
}

/* The page is touched in libc. */
TRUTH_NOINLINE static void beneath(void)
{
	char *volatile from = "text";

	TRUTH_ENTER();
	TRUTH_BENEATH("memset", memset((char *)truth_page, 1, strlen(from) * 500));
	TRUTH_BENEATH("snprintf", snprintf((char *)truth_page, 100, "%s %d", from, 5));
	TRUTH_BENEATH("strtol", strtol(from, (char **)truth_page, 10));
	TRUTH_LEAVE();
}

void group_callbacks(void)
{
	TRUTH_ENTER();
	sort();
	beneath();
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void in_thread(const char *name)
{
	TRUTH_ENTER();
	TRUTH_POINT(name);
	sort();
	TRUTH_LEAVE();
}

static void *thread(void *data)
{
	static struct truth_stack stack;

	(void)data;
	truth_stack = &stack;
	TRUTH_ENTER();
	in_thread("thread");
	TRUTH_LEAVE();
	return NULL;
}

static void run_thread(void *(*start)(void *))
{
	pthread_t id;

	if (pthread_create(&id, NULL, start, NULL) || pthread_join(id, NULL))
		abort();
}

void group_threads(void)
{
	TRUTH_ENTER();
	run_thread(thread);
	run_thread(thread);
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void reads_clock(void)
{
	TRUTH_ENTER();
	TRUTH_BENEATH("vdso", clock_gettime(CLOCK_MONOTONIC, (struct timespec *)truth_page));
	TRUTH_LEAVE();
}

void group_vdso(void)
{
	TRUTH_ENTER();
	reads_clock();
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void in_child(void)
{
	TRUTH_ENTER();
	TRUTH_POINT("vfork-child");
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void forks(void)
{
	pid_t child;

	TRUTH_ENTER();
	child = vfork();
	if (child == 0) {
		in_child();
		_exit(0);
	}
	TRUTH_POINT("after-vfork");
	if (child < 0 || waitpid(child, NULL, 0) != child)
		abort();
	TRUTH_LEAVE();
}

void group_vfork(void)
{
	TRUTH_ENTER();
	forks();
	TRUTH_LEAVE();
}

static void *executes(void *data)
{
	char *arguments[] = { "truth", "frames", "callbacks", NULL };

	(void)data;
	in_thread("thread-before-exec");
	truth_close();
	setenv("TRUTH_EXEC", "1", 1);
	execv("/proc/self/exe", arguments);
	abort();
}

static void *execute_thread(void *data)
{
	static struct truth_stack stack;

	truth_stack = &stack;
	TRUTH_ENTER();
	return executes(data);
}

void group_exec(void)
{
	run_thread(execute_thread);
}

#ifdef TRUTH_LIBRARY
TRUTH_NOINLINE static int called_back(int value)
{
	TRUTH_ENTER();
	TRUTH_POINT("called-back-by-library");
	TRUTH_LEAVE();
	return value;
}

TRUTH_NOINLINE static int calls_library(int value)
{
	int result;

	TRUTH_ENTER();
	result = library_call("library", called_back, value) + 1;
	TRUTH_LEAVE();
	return result;
}

void group_library(void)
{
	TRUTH_ENTER();
	calls_library(5);
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static int loads_library(const char *path)
{
	int (*call)(const char *name, int (*callback)(int), int value);
	void *library;
	int result;

	TRUTH_ENTER();
	library = dlopen(path, RTLD_NOW);
	call = library ? (int (*)(const char *, int (*)(int), int))dlsym(library, "library_call")
		       : NULL;
	if (!call) {
		fprintf(stderr, "%s\n", dlerror());
		abort();
	}
	result = call("loaded-library", called_back, 7) + 1;
	TRUTH_LEAVE();
	return result;
}

void group_dlopen(void)
{
	TRUTH_ENTER();
	loads_library(getenv("TRUTH_LOADED"));
	TRUTH_LEAVE();
}
#endif
