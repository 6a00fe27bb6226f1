/* SPDX-License-Identifier: MIT */
/*
 * Wilcoxon's rank sum statistic, in the form of Mann and Whitney: of how many pairs of a value of
 * the first group and one of the second the difference is below 0. From it follow a test of whether
 * both groups have one distribution, an interval of the shift between them by inverting the test,
 * and the Hodges-Lehmann estimate, the median of all differences; ranks.c has what is done with
 * them. Unlike pairs of one round, the groups have to be measured under the same conditions.
 *
 * Sources: H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", Annals of Mathematical Statistics 18 (1947); the estimate
 * and the interval as in M. Hollander, D. A. Wolfe, E. Chicken, "Nonparametric Statistical
 * Methods", 3rd edition, 4.1 to 4.3; numbers of cases as coefficients of a Gaussian binomial: G. E.
 * Andrews, "The Theory of Partitions" (1976), 3.
 */
#include <math.h>
#include <string.h>

#include "ranks.h"
#include "statistics.h"

/*
 * The coefficients of the product of (1 - q^(m + i)) / (1 - q^i), i = 1 … n, up to the middle. Each
 * polynomial on the way is one of counts, too: no error grows (checked against whole numbers: less
 * than 1e-15 of each sum).
 */
static double count_cases(const struct ranks *r, double *counts)
{
	size_t most = (size_t)(r->nr / 2), few = r->m < r->n ? r->m : r->n;
	double all = 1;

	memset(counts, 0, (most + 1) * sizeof(*counts));
	counts[0] = 1;
	for (size_t i = 1; i <= few; i++) {
		size_t factor = r->m + r->n - few + i;

		for (size_t t = most; t >= factor; t--)
			counts[t] -= counts[t - factor];
		for (size_t t = i; t <= most; t++)
			counts[t] += counts[t - i];
		all = all * (double)factor / (double)i;
	}
	return all;
}

/* As the value of the first group grows, more of the second's are close enough. */
static double nr_up_to(const struct ranks *r, double bound)
{
	size_t end = 0;
	double nr = 0;

	for (size_t i = 0; i < r->m; i++) {
		while (end < r->n && r->b[end] - r->a[i] <= bound)
			end++;
		nr += (double)end;
	}
	return nr;
}

static struct ranks ranks_of(const double *a, size_t m, const double *b, size_t n)
{
	double x = (double)m, y = (double)n;

	return (struct ranks){
		.a = a,
		.m = m,
		.b = b,
		.n = n,
		.nr = x * y,
		.low = b[0] - a[m - 1],
		.high = b[n - 1] - a[0],
		.nr_up_to = nr_up_to,
		.deviation = sqrt(x * y * (x + y + 1) / 12),
		.count_cases = x * y <= RANKS_EXACT_MAX ? count_cases : NULL,
	};
}

double rank_sum_estimate(const double *a, size_t m, const double *b, size_t n)
{
	struct ranks ranks = ranks_of(a, m, b, n);

	return ranks_estimate(&ranks);
}

double rank_sum_p(const double *a, size_t m, const double *b, size_t n)
{
	struct ranks ranks = ranks_of(a, m, b, n);

	return ranks_p(&ranks);
}

void rank_sum_interval(const double *a, size_t m, const double *b, size_t n, double level,
		       double *ret_low, double *ret_high)
{
	struct ranks ranks = ranks_of(a, m, b, n);

	ranks_interval(&ranks, level, ret_low, ret_high);
}

/* The most extreme of all cases is one of (m + n)! / (m! n!). */
size_t rank_sum_least(double level, size_t m)
{
	enum { MOST = 1000000 };
	double all = 1;
	size_t n = 0;

	while (n < MOST && 2 > level * all) {
		n++;
		all = all * (double)(m + n) / (double)n;
	}
	return n;
}
