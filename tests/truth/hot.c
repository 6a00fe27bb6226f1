/* SPDX-License-Identifier: MIT
 *
 * Functions that samples of the clock hit anywhere, also where they set up their frames. The first
 * call of each has a point; the others, from the same place, are judged by its chain.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "library.h"
#include "truth.h"

#include <time.h>

static volatile int one = 1;

TRUTH_NOINLINE static int hot_leaf(long i, int a, int b, int c, int d, int e, int f)
{
	int v = one, w = v * a, x = w + b, y = x * c, z = y + d;

	if (i == 0) {
		TRUTH_ENTER();
		TRUTH_POINT("hot-leaf");
		TRUTH_LEAVE();
	}
	return v + w * 3 + x * 5 + y * 7 + z * 9 + e + f;
}

TRUTH_NOINLINE static int hot_array(long i)
{
	volatile char array[64 * one];

	array[i & 63] = 1;
	if (i == 0) {
		TRUTH_ENTER();
		TRUTH_POINT("hot-array");
		TRUTH_LEAVE();
	}
	return array[i & 63];
}

TRUTH_NOINLINE static int hot_recursion(long i, int depth)
{
	int result = one;

	TRUTH_ENTER();
	if (depth)
		result += hot_recursion(i, depth - 1) * one;
	else if (i == 0)
		TRUTH_POINT("hot-recursion");
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int hot_functions(long times)
{
	volatile long i;
	int result = 0;

	TRUTH_ENTER();
	for (i = 0; i <= times; i++) {
		result += hot_leaf(i, 1, 2, 3, 4, 5, 6);
		result += hot_array(i);
		result += hot_recursion(i, 5);
	}
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static long hot_clock(long times)
{
	struct timespec now = { 0 };

	TRUTH_ENTER();
	TRUTH_POINT("hot-vdso");
	for (volatile long i = 0; i < times; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	TRUTH_LEAVE();
	return now.tv_nsec;
}

#ifdef TRUTH_LIBRARY
TRUTH_NOINLINE static int hot_library(long times)
{
	int result = 0;

	TRUTH_ENTER();
	for (volatile long i = 0; i <= times; i++)
		result += library_short((int)i);
	TRUTH_LEAVE();
	return result;
}
#endif

void group_hot(void)
{
	TRUTH_ENTER();
	hot_functions(truth_spin());
	hot_clock(truth_spin());
#ifdef TRUTH_LIBRARY
	hot_library(4 * truth_spin());
#endif
	TRUTH_LEAVE();
}
