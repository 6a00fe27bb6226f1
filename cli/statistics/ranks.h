/* SPDX-License-Identifier: MIT */
/*
 * What tests by ranks have in common. The estimate is the median of candidates (means of pairs of
 * differences, or differences between two groups), the bounds of the interval are two candidates,
 * and the statistic of the test is the number of candidates below 0. There are too many candidates
 * to store: how many are up to a bound is counted in one pass.
 */
#ifndef CLI_STATISTICS_RANKS_H
#define CLI_STATISTICS_RANKS_H

#include <stddef.h>

struct ranks {
	const double *a, *b; /* ascending */
	size_t m, n;         /* of a, of b */
	double nr;           /* candidates */
	double low, high;    /* the least and the largest one */
	double (*nr_up_to)(const struct ranks *ranks, double bound);

	/* The distribution of the statistic if there is no difference, symmetric around nr / 2. */
	double deviation; /* of the normal approximation */
	/* The exact one, if nr <= RANKS_EXACT_MAX: in how many cases the statistic is 0, 1 … nr
	 * / 2. Returns the number of all cases. NULL: the approximation is used. */
	double (*count_cases)(const struct ranks *ranks, double *counts);
};

enum { RANKS_EXACT_MAX = 2500 };

double ranks_estimate(const struct ranks *ranks);
double ranks_p(const struct ranks *ranks);
void ranks_interval(const struct ranks *ranks, double level, double *ret_low, double *ret_high);

#endif
