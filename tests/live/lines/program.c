/* SPDX-License-Identifier: MIT */
/* A program for live/lines-truth: inlined functions in a loop, and a part that is cold. Compiled
 * with -DSECOND it is a second unit. */
#include <stdio.h>
#include <stdlib.h>

#ifdef SECOND
#define outer  other_outer
#define report other_report
#else
int other_outer(int n);
#endif

int outer(int n);

static inline int leaf(int x)
{
	return x * 3 + (x >> 2);
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += leaf(i ^ sum);
	return sum;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((cold, noinline)) static void report(int x)
{
	fprintf(stderr, "bad: %d\n", x);
	abort();
}

int outer(int n)
{
	int *at = malloc((size_t)n * sizeof(*at));

	if (!at)
		report(n);
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(i == 7777, 0)) {
			fprintf(stderr, "%d\n", middle(i));
			report(i);
		}
		at[i] = middle(i & 31);
	}
	qsort(at, (size_t)n, sizeof(*at), compare);
	int result = at[n / 2];
	free(at);
	return result;
}

#ifndef SECOND
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc * 50) + other_outer(argc * 50) == 1;
}
#endif
