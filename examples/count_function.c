/* SPDX-License-Identifier: MIT */
/*
 * count_function: how many cycles a function takes.
 *
 *     count_function [EVENTS]
 *
 * Three calls: xp_self_start(), xp_self_stop(), xp_self_close().
 */
#include <stdio.h>
#include <stdlib.h>
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
	struct xp_count *counts;
	struct xp_self *self;

	if (xp_self_start(event, &self, &diag)) {
		fprintf(stderr, "count_function: %s\n", diag.what);
		return 1;
	}
	/* Of "cycles:u,instructions:u", one for each. */
	counts = (struct xp_count *)calloc((size_t)xp_self_nr(self), sizeof(*counts));
	work();
	if (counts && !xp_self_stop(self, counts))
		for (int i = 0; i < xp_self_nr(self); i++)
			printf("%.0f %s\n", xp_count_scale(&counts[i]),
			       xp_evsel_name(xp_evlist_at(xp_self_evlist(self), i)));
	free(counts);
	xp_self_close(self);
	return 0;
}
