/* SPDX-License-Identifier: MIT */
/*
 * Wilcoxon's signed rank statistic, and what follows from it: a test of whether differences have
 * the median 0, an interval of that median by inverting the test, and the Hodges-Lehmann estimate.
 * All are computed from Walsh averages, the means of all pairs of differences (and of each with
 * itself), without storing them: how many are below a bound is counted in one pass.
 *
 * Differences that are 0 count against whatever is to be shown, and the distribution is that of
 * differences without ties: where there are ties, both make the test and the interval more
 * cautious.
 *
 * Sources: F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945);
 * J. L. Hodges, E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
 * Statistics 34 (1963); J. W. Tukey's interval as in M. Hollander, D. A. Wolfe, E. Chicken,
 * "Nonparametric Statistical Methods", 3rd edition, 3.1 to 3.3; the normal approximation with
 * continuity correction: there, (3.6).
 */
#include "statistics.h"

#include <math.h>
#include <string.h>

/* Up to here the distribution is exact: 2^50 cases, and all sums fit into a double. */
enum { EXACT_MAX = 50, EXACT_SUMS = EXACT_MAX * (EXACT_MAX + 1) / 2 + 1 };

static double nr_averages(size_t n)
{
	return (double)n * ((double)n + 1) / 2;
}

static double deviation(size_t n)
{
	double d = (double)n;

	return sqrt(d * (d + 1) * (2 * d + 1) / 24);
}

/* counts[t]: in how many of the 2^n cases the statistic is t, up to @most. */
static void count_cases(size_t n, size_t most, double *counts)
{
	memset(counts, 0, EXACT_SUMS * sizeof(*counts));
	counts[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		size_t sum = rank * (rank + 1) / 2;

		for (size_t t = sum < most ? sum : most; t >= rank; t--)
			counts[t] += counts[t - rank];
	}
}

/* The share of cases in which the statistic is at most @t. */
static double share_up_to(size_t n, double t)
{
	double counts[EXACT_SUMS], sum = 0;

	if (n > EXACT_MAX)
		return normal_below((t + 0.5 - nr_averages(n) / 2) / deviation(n));
	size_t most = (size_t)fmin(t, nr_averages(n));
	count_cases(n, most, counts);
	for (size_t i = 0; i <= most; i++)
		sum += counts[i];
	return ldexp(sum, -(int)n);
}

/*
 * How many of the smallest averages an interval leaves out on each side: the largest k for which
 * the statistic is less than k in at most half of @level.
 */
static double nr_outside(size_t n, double level)
{
	double counts[EXACT_SUMS], sum = 0, k = 0;

	if (n > EXACT_MAX) {
		k = floor(nr_averages(n) / 2 + 0.5 + deviation(n) * normal_quantile(level / 2));
		return k > 0 ? k : 0;
	}
	count_cases(n, EXACT_SUMS - 1, counts);
	while ((sum += counts[(size_t)k]) <= ldexp(level / 2, (int)n))
		k++;
	return k;
}

static double average(double a, double b)
{
	return a / 2 + b / 2;
}

/* How many averages are at most @bound: as the first value grows, fewer of the others do. */
static double nr_up_to(const double *sorted, size_t n, double bound)
{
	size_t end = n;
	double nr = 0;

	for (size_t i = 0; i < n; i++) {
		while (end && average(sorted[i], sorted[end - 1]) > bound)
			end--;
		if (end <= i)
			break;
		nr += (double)(end - i);
	}
	return nr;
}

/* The @rank-th smallest average, from 1 on, by halving the range until no double is between. */
static double average_at(const double *sorted, size_t n, double rank)
{
	double low = sorted[0], high = sorted[n - 1];

	if (nr_up_to(sorted, n, low) >= rank)
		return low;
	for (;;) {
		double middle = average(low, high);

		if (middle <= low || middle >= high)
			return high;
		if (nr_up_to(sorted, n, middle) >= rank)
			high = middle;
		else
			low = middle;
	}
}

double signed_rank_estimate(const double *sorted, size_t n)
{
	double nr = nr_averages(n), half = floor((nr + 1) / 2);
	double below = average_at(sorted, n, half);

	return fmod(nr, 2) != 0 ? below : average(below, average_at(sorted, n, half + 1));
}

double signed_rank_p(const double *sorted, size_t n)
{
	double not_more = nr_up_to(sorted, n, 0);
	double not_less = nr_averages(n) - nr_up_to(sorted, n, -__DBL_DENORM_MIN__);
	double p = 2 * share_up_to(n, not_more < not_less ? not_more : not_less);

	return p < 1 ? p : 1;
}

void signed_rank_interval(const double *sorted, size_t n, double level, double *ret_low,
			  double *ret_high)
{
	double k = nr_outside(n, level);

	*ret_low = k > 0 ? average_at(sorted, n, k) : -INFINITY;
	*ret_high = k > 0 ? average_at(sorted, n, nr_averages(n) + 1 - k) : INFINITY;
}

size_t signed_rank_least(double level)
{
	size_t n = 1;

	while (n < EXACT_MAX && ldexp(2, -(int)n) > level)
		n++;
	return n;
}
