/* SPDX-License-Identifier: MIT */
/*
 * count_function: how many cycles a function takes.
 *
 *     count_function [EVENT]
 *
 * Three calls: xp_self_start(), xp_self_stop(), xp_self_close().
 */
#include <stdio.h>
#include <xperf/xperf.h>

static volatile double sum;

static void work(void)
{
	for (int i = 1; i < 1000000; i++)
		sum += 1.0 / i;
}

int main(int argc, char **argv)
{
	const char *event = argc > 1 ? argv[1] : "cycles:u";
	struct xp_diag diag;
	struct xp_count count;
	struct xp_self *self;

	if (xp_self_start(event, &self, &diag)) {
		fprintf(stderr, "count_function: %s\n", diag.what);
		return 1;
	}
	work();
	xp_self_stop(self, &count);
	xp_self_close(self);
	printf("%.0f %s\n", xp_count_scale(&count), event);
	return 0;
}
