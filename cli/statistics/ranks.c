/* SPDX-License-Identifier: MIT */
/*
 * Estimate, test and interval by ranks, for signed-rank.c and rank-sum.c, which have the sources.
 *
 * Candidates that are 0 count against whatever is to be shown, and the distribution is that without
 * ties: where there are ties, both make the test and the interval more cautious.
 */
#include "ranks.h"

#include <math.h>

#include "statistics.h"

/* How probable a statistic of at most @t is. */
static double share_up_to(const struct ranks *r, double t)
{
	double counts[RANKS_EXACT_MAX / 2 + 1], sum = 0;

	if (t >= r->nr / 2)
		return 1;
	if (!r->count_cases)
		return normal_below((t + 0.5 - r->nr / 2) / r->deviation);
	double all = r->count_cases(r, counts);
	for (size_t i = 0; i <= (size_t)t; i++)
		sum += counts[i];
	return sum / all;
}

/*
 * How many of the smallest candidates an interval leaves out on each side: the largest k for which
 * the statistic is less than k in at most half of @level.
 */
static double nr_outside(const struct ranks *r, double level)
{
	double counts[RANKS_EXACT_MAX / 2 + 1], sum = 0, k = 0;

	if (!r->count_cases) {
		k = floor(r->nr / 2 + 0.5 + r->deviation * normal_quantile(level / 2));
		return k > 0 ? k : 0;
	}
	double all = r->count_cases(r, counts);
	while (k <= r->nr / 2 && (sum += counts[(size_t)k]) <= level / 2 * all)
		k++;
	return k;
}

/* The @rank-th smallest candidate, from 1 on, by halving the range until no double is between. */
static double candidate_at(const struct ranks *r, double rank)
{
	double low = r->low, high = r->high;

	if (r->nr_up_to(r, low) >= rank)
		return low;
	for (;;) {
		double middle = low / 2 + high / 2;

		if (middle <= low || middle >= high)
			return high;
		if (r->nr_up_to(r, middle) >= rank)
			high = middle;
		else
			low = middle;
	}
}

double ranks_estimate(const struct ranks *r)
{
	double half = floor((r->nr + 1) / 2), below = candidate_at(r, half);

	return fmod(r->nr, 2) != 0 ? below : below / 2 + candidate_at(r, half + 1) / 2;
}

double ranks_p(const struct ranks *r)
{
	double not_more = r->nr_up_to(r, 0);
	double not_less = r->nr - r->nr_up_to(r, -__DBL_DENORM_MIN__);
	double p = 2 * share_up_to(r, not_more < not_less ? not_more : not_less);

	return p < 1 ? p : 1;
}

void ranks_interval(const struct ranks *r, double level, double *ret_low, double *ret_high)
{
	double k = nr_outside(r, level);

	*ret_low = k > 0 ? candidate_at(r, k) : -INFINITY;
	*ret_high = k > 0 ? candidate_at(r, r->nr + 1 - k) : INFINITY;
}
