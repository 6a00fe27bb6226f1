/* SPDX-License-Identifier: MIT */
/* A chain without gaps for unwinders: leafloop() calls parent() calls leaf(), which loops. */
#include "workload.h"

static volatile int sum;

KEEP static void leaf(volatile int step)
{
	while (!workload_done)
		sum += step;
}

KEEP static void parent(volatile int step)
{
	leaf(step);
	sum++;
}

int leafloop(int argc, char **argv)
{
	if (workload_start_timer(argc, argv, 1))
		return 1;
	parent(argc);
	sum++;
	return 0;
}
