/* SPDX-License-Identifier: MIT */
/*
 * Branches for branch stacks. What scripts look for, from -> to:
 *   direct calls     brstack_bench -> brstack_foo, brstack_bench -> brstack_bar,
 *                    brstack_foo -> brstack_bar
 *   indirect call    brstack_bench -> brstack_foo
 *   returns          brstack_bar -> brstack_foo, brstack_foo -> brstack_bench
 *   conditional jump inside brstack_bench
 *   jump             inside brstack
 */
#include <limits.h>

#include "workload.h"

static volatile unsigned int work;

KEEP static void brstack_bar(void)
{
	work++;
}

KEEP static void brstack_foo(void)
{
	brstack_bar();
	work++;
}

static void (*volatile indirect)(void) = brstack_foo;

KEEP static void brstack_bench(void)
{
	if (work % 3)
		brstack_bar();
	brstack_foo();
	indirect();
}

int brstack(int argc, char **argv)
{
	long rounds = 999999;

	if (workload_number(argc, argv, 1, LONG_MAX, &rounds))
		return 1;
	for (;;) {
		if (!rounds--)
			break;
		brstack_bench();
	}
	return 0;
}
