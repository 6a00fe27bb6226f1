/* SPDX-License-Identifier: MIT */
/*
 * How much two series of values that were measured in pairs differ: the Hodges-Lehmann estimate of
 * the logarithms of their ratios, with Wilcoxon's interval (signed-rank.c). What disturbs one pair
 * does so by a factor; what drifts over the rounds disturbs both values of a pair alike. Where the
 * order within each pair was drawn by lot, the sign of a difference is as good as a coin's if
 * nothing differs, whatever the distribution: R. A. Fisher, "The Design of Experiments" (1935), 21.
 * Values that are no pairs are compared as two groups (rank-sum.c), which holds only if nothing
 * else changed between them.
 *
 * Values of 0 have no logarithm: series that have some are compared by their differences.
 */
#include "statistics.h"

#include <math.h>

static bool have_logarithms(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(values[i] > 0))
			return false;
	return true;
}

void change_of_pairs(const double *a, const double *b, size_t n, double *scratch,
		     struct change *ret_change)
{
	struct change change = { .n = n };

	change.is_ratio = have_logarithms(a, n) && have_logarithms(b, n);
	for (size_t i = 0; i < n; i++) {
		scratch[i] = change.is_ratio ? log(b[i] / a[i]) : b[i] - a[i];
		change.has_spread |= scratch[i] != 0;
	}
	values_sort(scratch, n);
	change.p = signed_rank_p(scratch, n);
	*ret_change = change;
}

static void put_group(const double *values, size_t n, bool is_ratio, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = is_ratio ? log(values[i]) : values[i];
	values_sort(to, n);
}

void change_of_groups(const double *a, size_t m, const double *b, size_t n, double *scratch,
		      struct change *ret_change)
{
	struct change change = { .m = m, .n = n };

	change.is_ratio = have_logarithms(a, m) && have_logarithms(b, n);
	put_group(a, m, change.is_ratio, scratch);
	put_group(b, n, change.is_ratio, scratch + m);
	change.has_spread =
		fmin(scratch[0], scratch[m]) != fmax(scratch[m - 1], scratch[m + n - 1]);
	change.p = rank_sum_p(scratch, m, scratch + m, n);
	*ret_change = change;
}

void change_limit(struct change *change, double level, const double *scratch)
{
	const double *b = scratch + change->m;
	size_t m = change->m, n = change->n;

	change->level = level;
	if (m) {
		change->estimate = rank_sum_estimate(scratch, m, b, n);
		rank_sum_interval(scratch, m, b, n, level, &change->low, &change->high);
	} else {
		change->estimate = signed_rank_estimate(scratch, n);
		signed_rank_interval(scratch, n, level, &change->low, &change->high);
	}
	if (!change->is_ratio)
		return;
	change->estimate = expm1(change->estimate);
	change->low = isinf(change->low) ? -INFINITY : expm1(change->low);
	change->high = expm1(change->high);
}

double change_precision(const struct change *change)
{
	if (isinf(change->low) || isinf(change->high))
		return INFINITY;
	if (!change->is_ratio)
		return (change->high - change->low) / 2;
	return expm1((log1p(change->high) - log1p(change->low)) / 2);
}
