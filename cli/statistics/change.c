/* SPDX-License-Identifier: MIT */
/*
 * How much two series of values that were measured in pairs differ: the Hodges-Lehmann estimate of
 * the logarithms of their ratios, with Wilcoxon's interval (signed-rank.c). What disturbs one pair
 * does so by a factor; what drifts over the rounds disturbs both values of a pair alike. Where the
 * order within each pair was drawn by lot, the sign of a difference is as good as a coin's if
 * nothing differs, whatever the distribution: R. A. Fisher, "The Design of Experiments" (1935), 21.
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

void change_limit(struct change *change, double level, const double *scratch)
{
	change->level = level;
	change->estimate = signed_rank_estimate(scratch, change->n);
	signed_rank_interval(scratch, change->n, level, &change->low, &change->high);
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
