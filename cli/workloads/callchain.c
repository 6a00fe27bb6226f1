/* SPDX-License-Identifier: MIT */
/* A call chain that ends in the kernel: callchain, callchain_foo, callchain_do_syscall, syscall. */
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

static volatile unsigned int work;

KEEP static void callchain_do_syscall(void)
{
	syscall(SYS_getppid);
	work++;
}

KEEP static void callchain_foo(void)
{
	work++;
	callchain_do_syscall();
	work++;
}

int callchain(int argc, char **argv)
{
	long calls = 1000;

	if (workload_number(argc, argv, 1, LONG_MAX, &calls))
		return 1;
	while (calls--)
		callchain_foo();
	return 0;
}
