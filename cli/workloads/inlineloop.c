/* SPDX-License-Identifier: MIT */
/*
 * Two levels of inlined functions: the loop of leaf() is code of parent(), where line tables say
 * leaf() in middle() in parent().
 *
 * Test scripts know the lines: what leaf() and middle() do lies between line 20 and 29, what
 * parent() does between line 30 and 39. tests/golden/test-workloads.sh looks after that.
 */
#include "workload.h"

static volatile int sum;

/*
 * Inlined whatever the optimisation level: else a call of leaf() were a frame of its own, and there
 * were nothing to find out from the line table.
 */
#define ALWAYS_INLINE inline __attribute__((always_inline))

ALWAYS_INLINE static void leaf(int step)
{
	while (!workload_done)
		sum += step;
}

ALWAYS_INLINE static void middle(int step)
{
	leaf(step);
}

/* Not inlined itself. */
KEEP static void parent(int step)
{
	middle(step);
	sum++;
}

int inlineloop(int argc, char **argv)
{
	if (workload_start_timer(argc, argv, 1))
		return 1;
	parent(argc);
	sum++;
	return 0;
}
