/* SPDX-License-Identifier: MIT */
/*
 * Functions that are called a known number of times, whatever way they end, in threads, children,
 * and a library that is loaded twice; tests/live/test-stat-functions.sh has the numbers. The
 * library's path is the argument; it begins when it has read a byte, or the end of its input.
 */
#include <csetjmp>
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED extern "C" __attribute__((noinline, noclone, noipa))

static std::jmp_buf back;
static volatile int sink;

CALLED int leaf(int x)
{
	return x + sink;
}

CALLED int recursive(int depth)
{
	int below = depth ? recursive(depth - 1) : 0;

	sink = 0; /* so that it stays a call */
	return depth ? below + leaf(depth) : 0;
}

CALLED int throws(int x)
{
	if (x & 1)
		throw std::runtime_error("odd");
	return x + sink;
}

CALLED int catches(int x)
{
	try {
		return throws(x) + 1;
	} catch (const std::exception &) {
		return leaf(x);
	}
}

CALLED int jumps(int x)
{
	if (x & 1)
		std::longjmp(back, 1);
	return x + sink;
}

/* It ends in another function. */
CALLED int passes_on(int x)
{
	return leaf(x + 1);
}

static void *in_thread(void *)
{
	for (int i = 0; i < 500; i++)
		leaf(i);
	return NULL;
}

static void threads()
{
	pthread_t threads[4];

	for (pthread_t &thread : threads)
		if (pthread_create(&thread, NULL, in_thread, NULL))
			_exit(2);
	for (pthread_t &thread : threads)
		pthread_join(thread, NULL);
}

static void children()
{
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child < 0)
			_exit(2);
		if (!child) {
			for (int j = 0; j < 10; j++)
				leaf(j);
			threads();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void library(const char *path)
{
	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(path, RTLD_NOW);
		int (*function)(int) =
			handle ? reinterpret_cast<int (*)(int)>(dlsym(handle, "in_library")) : NULL;

		if (!function)
			_exit(2);
		for (int j = 0; j < 50; j++)
			sink = function(j) & 0;
		dlclose(handle);
	}
}

int main(int, char **argv)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) < 0)
		return 2;
	threads();
	recursive(200);
	for (int i = 0; i < 100; i++)
		catches(i);
	for (volatile int i = 0; i < 100; i = i + 1)
		if (!setjmp(back))
			jumps(i);
	for (int i = 0; i < 30; i++)
		passes_on(i);
	children();
	library(argv[1]);
	return 0;
}
