/* SPDX-License-Identifier: MIT */
/*
 * Wilcoxon's signed rank statistic, and what follows from it: a test of whether differences have
 * the median 0, an interval of that median by inverting the test, and the Hodges-Lehmann estimate.
 * All are computed from Walsh averages, the means of all pairs of differences (and of each with
 * itself); ranks.c has what is done with them.
 *
 * Sources: F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945);
 * J. L. Hodges, E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
 * Statistics 34 (1963); J. W. Tukey's interval as in M. Hollander, D. A. Wolfe, E. Chicken,
 * "Nonparametric Statistical Methods", 3rd edition, 3.1 to 3.3; the normal approximation with
 * continuity correction: there, (3.6).
 */
#include <math.h>
#include <string.h>

#include "ranks.h"
#include "statistics.h"

/* Up to here the distribution is exact. */
enum { EXACT_MAX = 50 };

/* In how many of the 2^n choices of ranks the sum of those chosen is t, up to the middle. */
static double count_cases(const struct ranks *r, double *counts)
{
	size_t most = (size_t)(r->nr / 2);

	memset(counts, 0, (most + 1) * sizeof(*counts));
	counts[0] = 1;
	for (size_t rank = 1; rank <= r->n; rank++) {
		size_t sum = rank * (rank + 1) / 2;

		for (size_t t = sum < most ? sum : most; t >= rank; t--)
			counts[t] += counts[t - rank];
	}
	return ldexp(1, (int)r->n);
}

static double average(double a, double b)
{
	return a / 2 + b / 2;
}

/* As the first value of a pair grows, fewer of the others do. */
static double nr_up_to(const struct ranks *r, double bound)
{
	size_t end = r->n;
	double nr = 0;

	for (size_t i = 0; i < r->n; i++) {
		while (end && average(r->b[i], r->b[end - 1]) > bound)
			end--;
		if (end <= i)
			break;
		nr += (double)(end - i);
	}
	return nr;
}

static struct ranks ranks_of(const double *sorted, size_t n)
{
	double d = (double)n;

	return (struct ranks){
		.b = sorted,
		.n = n,
		.nr = d * (d + 1) / 2,
		.low = sorted[0],
		.high = sorted[n - 1],
		.nr_up_to = nr_up_to,
		.deviation = sqrt(d * (d + 1) * (2 * d + 1) / 24),
		.count_cases = n <= EXACT_MAX ? count_cases : NULL,
	};
}

double signed_rank_estimate(const double *sorted, size_t n)
{
	struct ranks ranks = ranks_of(sorted, n);

	return ranks_estimate(&ranks);
}

double signed_rank_p(const double *sorted, size_t n)
{
	struct ranks ranks = ranks_of(sorted, n);

	return ranks_p(&ranks);
}

void signed_rank_interval(const double *sorted, size_t n, double level, double *ret_low,
			  double *ret_high)
{
	struct ranks ranks = ranks_of(sorted, n);

	ranks_interval(&ranks, level, ret_low, ret_high);
}

size_t signed_rank_least(double level)
{
	size_t n = 1;

	while (n < EXACT_MAX && ldexp(2, -(int)n) > level)
		n++;
	return n;
}
