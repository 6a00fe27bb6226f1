/* SPDX-License-Identifier: MIT */
/* An empty loop: nearly all samples lie in noploop(). */
#include "workload.h"

int noploop(int argc, char **argv)
{
	if (workload_start_timer(argc, argv, 1))
		return 1;
	while (!workload_done)
		continue;
	return 0;
}
