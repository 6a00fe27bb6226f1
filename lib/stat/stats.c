/* SPDX-License-Identifier: MIT */
/*
 * Mean and standard error of a series, one value at a time. Source: B. P. Welford, "Note on a
 * method for calculating corrected sums of squares and products", Technometrics 4 (1962).
 */
#include <xperf/stat.h>

#include <math.h>

void xp_stats_add(struct xp_stats *stats, double value)
{
	double from_old_mean = value - stats->mean;

	if (!stats->n || value < stats->min)
		stats->min = value;
	if (!stats->n || value > stats->max)
		stats->max = value;
	stats->n++;
	stats->mean += from_old_mean / (double)stats->n;
	stats->m2 += from_old_mean * (value - stats->mean);
}

double xp_stats_stderr(const struct xp_stats *stats)
{
	double n = (double)stats->n;

	if (stats->n < 2)
		return 0;
	return sqrt(stats->m2 / (n - 1) / n);
}

double xp_stats_stderr_pct(const struct xp_stats *stats)
{
	if (stats->mean == 0)
		return 0;
	return 100 * xp_stats_stderr(stats) / fabs(stats->mean);
}
