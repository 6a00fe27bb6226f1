/* SPDX-License-Identifier: MIT */
/*
 * Whether two series of values differ: Welch's confidence interval of the difference of their
 * means. Source of the incomplete beta function's continued fraction: NIST Digital Library of
 * Mathematical Functions, 8.17.22; of Student's distribution by it: 26.5.27 of Abramowitz, Stegun.
 */
#include <xperf/stat.h>

#include <errno.h>
#include <math.h>

#define OUTSIDE 0.05 /* the share that lies outside of the interval */

enum { STEPS = 200 };

/* The continued fraction, from its end. */
static double fraction(double a, double b, double x)
{
	double value = 1;

	for (int m = STEPS; m > 0; m--) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		value = 1 + even / (1 + odd / value);
	}
	return 1 - (a + b) * x / (a + 1) / value;
}

/* The regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front / (a * fraction(a, b, x));
	return 1 - front / (b * fraction(b, a, 1 - x));
}

/* What Student's t exceeds, on either side, in OUTSIDE of all cases. */
static double quantile(double freedom)
{
	double low = 0, high = 1000;

	for (int i = 0; i < STEPS; i++) {
		double t = (low + high) / 2;

		if (beta(freedom / 2, 0.5, freedom / (freedom + t * t)) > OUTSIDE)
			low = t;
		else
			high = t;
	}
	return (low + high) / 2;
}

static double variance(const struct xp_stats *stats)
{
	return stats->m2 / (double)(stats->n - 1);
}

int xp_stats_difference(const struct xp_stats *a, const struct xp_stats *b, double *ret_low,
			double *ret_high)
{
	double n = (double)a->n, m = (double)b->n;

	if (!a->n || !b->n || (a->n < 2 && b->n < 2))
		return -ENODATA;
	double of_a = variance(a->n > 1 ? a : b) / n, of_b = variance(b->n > 1 ? b : a) / m;
	double sum = of_a + of_b, freedom = a->n > 1 ? n - 1 : m - 1;

	if (a->n > 1 && b->n > 1 && sum > 0)
		freedom = sum * sum / (of_a * of_a / (n - 1) + of_b * of_b / (m - 1));
	/* A single value among others that are all the same: by chance, or not? */
	if (sum <= 0 && (a->n < 2 || b->n < 2))
		return -ENODATA;
	double width = sum > 0 ? quantile(freedom) * sqrt(sum) : 0;
	*ret_low = b->mean - a->mean - width;
	*ret_high = b->mean - a->mean + width;
	return 0;
}
