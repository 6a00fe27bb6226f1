/* SPDX-License-Identifier: MIT */
/*
 * What may be said of a change. It is there if the interval leaves 0 out; it is none that matters
 * if the interval lies within the bounds asked for: D. J. Schuirmann, "A comparison of the two
 * one-sided tests procedure and the power approach", Journal of Pharmacokinetics and
 * Biopharmaceutics 15 (1987). What is neither is not known yet.
 */
#include "statistics.h"

#include <math.h>

double change_bound(const struct change *change)
{
	return fmax(fabs(change->low), fabs(change->high));
}

enum verdict change_verdict(const struct change *change, double within)
{
	if (change->low > 0)
		return VERDICT_MORE;
	if (change->high < 0)
		return VERDICT_LESS;
	return change_bound(change) <= within ? VERDICT_SAME : VERDICT_UNCLEAR;
}

/*
 * The width of an interval shrinks with the square root of the number of pairs: it has to become
 * narrower than the distance to 0, or to fit between the estimate and the bound. Of groups, the
 * width goes with the square root of 1/m + 1/n, of which only n can grow. Without bounds, there
 * have to be as many that it gets some.
 */
double change_rounds_needed(const struct change *change, double within)
{
	double half = (change->high - change->low) / 2, off = fabs(change->estimate);
	double room = fmax(off, within - off), m = (double)change->m, n = (double)change->n;

	if (isinf(half))
		return (double)(change->m ? rank_sum_least(change->level, change->m)
					  : signed_rank_least(change->level));
	if (!(room > 0))
		return 0;
	double factor = (room / half) * (room / half);
	double share = change->m ? factor * (1 / m + 1 / n) - 1 / m : factor / n;
	return share > 0 ? fmax(ceil(1 / share), n + 1) : 0;
}
