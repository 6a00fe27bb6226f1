/* SPDX-License-Identifier: MIT
 *
 * Stacks of many kinds for samples of the clock: deep ones, those of threads, of coroutines, and
 * below signal handlers. The first call of a function has a point; the others, from the same place,
 * are judged by its chain.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

static volatile int one = 1;
static const char *volatile handled; /* the name of the handler's point */

TRUTH_NOINLINE static long used_ms(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now))
		abort();
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Calls nothing; its frame pointer, if it has one at all, is its caller's until it has set it up.
 */
TRUTH_NOINLINE static int kind_leaf(long i, const char *point)
{
	int a = one, b = a + one, c = b + one;

	if (i == 0) {
		TRUTH_ENTER();
		TRUTH_POINT(point);
		TRUTH_LEAVE();
	}
	for (int n = 0; n < 20; n++) {
		a += b * one;
		b ^= c + a;
	}
	return a + b + c;
}

TRUTH_NOINLINE static int kind_middle(long i, const char *point)
{
	volatile char array[40 * one];
	int result;

	TRUTH_ENTER();
	array[i & 31] = 1;
	result = kind_leaf(i, point) + array[i & 31];
	TRUTH_LEAVE();
	return result;
}

void kind_works(const char *point)
{
	const char *ms = getenv("TRUTH_MS");
	const long until = used_ms() + (ms ? strtol(ms, NULL, 10) : 0);
	volatile long i = 0;
	int sum = 0;

	TRUTH_ENTER();
	do {
		sum += kind_middle(i, point);
		i++;
	} while (i % 1000 || used_ms() < until);
	one = sum == 12345 ? 1 : one;
	TRUTH_LEAVE();
}

void kind_plain(void)
{
	TRUTH_ENTER();
	kind_works("kind-plain");
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static int recurse(int depth)
{
	int result = one;

	TRUTH_ENTER();
	if (depth)
		result += recurse(depth - 1) * one;
	else
		kind_works("kind-deep");
	TRUTH_LEAVE();
	return result;
}

void kind_deep(void)
{
	TRUTH_ENTER();
	recurse(100);
	TRUTH_LEAVE();
}

static void *in_thread(void *data)
{
	static struct truth_stack stack;

	(void)data;
	truth_stack = &stack;
	TRUTH_ENTER();
	kind_works("kind-thread");
	TRUTH_LEAVE();
	return NULL;
}

void kind_thread(void)
{
	pthread_t id;

	TRUTH_ENTER();
	if (pthread_create(&id, NULL, in_thread, NULL) || pthread_join(id, NULL))
		abort();
	TRUTH_LEAVE();
}

static void handler(int signal, siginfo_t *info, void *context)
{
	TRUTH_ENTER_HANDLER(context);
	(void)signal;
	(void)info;
	kind_works(handled);
	TRUTH_LEAVE_HANDLER();
}

TRUTH_NOINLINE static void raises(const char *point, int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	TRUTH_ENTER();
	handled = point;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	TRUTH_LEAVE();
}

void kind_signal(void)
{
	TRUTH_ENTER();
	raises("kind-signal", 0);
	TRUTH_LEAVE();
}

/* The handler has a stack of its own, far from the other one. */
void kind_elsewhere(void)
{
	static char memory[64 << 10];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	TRUTH_ENTER();
	if (sigaltstack(&stack, NULL))
		abort();
	raises("kind-elsewhere", SA_ONSTACK);
	TRUTH_LEAVE();
}

/* musl has no coroutines. */
#ifdef __GLIBC__
static ucontext_t outside, inside;
static struct truth_stack fiber_stack, *outer_stack;

static void in_fiber(void)
{
	TRUTH_ENTER();
	kind_works("kind-fiber");
	TRUTH_LEAVE();
	truth_stack = outer_stack;
}

void kind_fiber(void)
{
	static char memory[64 << 10];

	TRUTH_ENTER();
	outer_stack = truth_stack;
	getcontext(&inside);
	inside.uc_stack.ss_sp = memory;
	inside.uc_stack.ss_size = sizeof(memory);
	inside.uc_link = &outside;
	makecontext(&inside, in_fiber, 0);
	truth_stack = &fiber_stack;
	swapcontext(&outside, &inside);
	TRUTH_LEAVE();
}
#else
void kind_fiber(void)
{
}
#endif
