/* SPDX-License-Identifier: MIT */
/*
 * Whether a series looks like repetitions of one and the same measurement.
 *
 * Sources. Outliers: B. Iglewicz, D. C. Hoaglin, "How to Detect and Handle Outliers" (1993): a
 * modified z-score above 3.5. Drift: H. B. Mann, "Nonparametric tests against trend", Econometrica
 * 13 (1945), with the variance for ties of M. G. Kendall, "Rank Correlation Methods" (1975); its
 * size: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", Journal of the
 * American Statistical Association 63 (1968). Two modes: the dip of dip.c; between them, the values
 * are divided where the two parts vary least (N. Otsu, "A threshold selection method from
 * gray-level histograms", IEEE Transactions on Systems, Man, and Cybernetics 9 (1979)).
 */
#include "statistics.h"

#include <math.h>
#include <string.h>

#define OUTLIER_SCORE   3.5
#define SCORE_OF_SPREAD 0.6745 /* the spread of a normal distribution, in standard deviations */

size_t series_nr_outliers(const double *values, size_t n, double *scratch)
{
	size_t nr = 0;

	if (n < 3)
		return 0;
	memcpy(scratch, values, n * sizeof(*values));
	values_sort(scratch, n);
	double median = values_median(scratch, n);
	double spread = values_spread(scratch, n, scratch + n);
	for (size_t i = 0; spread > 0 && i < n; i++)
		nr += SCORE_OF_SPREAD * fabs(values[i] - median) / spread > OUTLIER_SCORE;
	return nr;
}

/* What ties take away from the variance of the statistic. */
static double variance_of_ties(const double *sorted, size_t n)
{
	double sum = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && sorted[end] == sorted[i]; end++)
			;
		double t = (double)(end - i);
		sum += t * (t - 1) * (2 * t + 5);
	}
	return sum;
}

void series_drift(const double *values, size_t n, double *scratch, struct drift *ret_drift)
{
	double count = (double)n, score = 0;
	size_t nr = 0;

	*ret_drift = (struct drift){ .p = 1 };
	if (n < 4)
		return;
	memcpy(scratch, values, n * sizeof(*values));
	values_sort(scratch, n);
	double median = values_median(scratch, n);
	double variance =
		(count * (count - 1) * (2 * count + 5) - variance_of_ties(scratch, n)) / 18;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			score += (values[j] > values[i]) - (values[j] < values[i]);
			scratch[nr++] = (values[j] - values[i]) / (double)(j - i);
		}
	if (!(variance > 0) || score == 0)
		return;
	ret_drift->p = 2 * normal_below(-(fabs(score) - 1) / sqrt(variance));
	values_sort(scratch, nr);
	if (median > 0)
		ret_drift->share = values_median(scratch, nr) * (count - 1) / median;
}

/* How many values the lower part has. */
static size_t divide(const double *sorted, size_t n)
{
	double total = 0, low = 0, best = -1;
	size_t best_at = 1;

	for (size_t i = 0; i < n; i++)
		total += sorted[i];
	for (size_t i = 1; i < n; i++) {
		low += sorted[i - 1];
		double of_low = (double)i, of_high = (double)(n - i);
		double apart = low / of_low - (total - low) / of_high;
		double between = of_low * of_high * apart * apart;

		if (between > best) {
			best = between;
			best_at = i;
		}
	}
	return best_at;
}

void series_modes(const double *sorted, size_t n, double *scratch, struct modes *ret_modes)
{
	*ret_modes = (struct modes){ 0 };
	if (n < 4 || dip_of(sorted, n, scratch) <= dip_limit(n))
		return;
	size_t nr_low = divide(sorted, n);
	*ret_modes = (struct modes){
		.are_two = true,
		.low = values_median(sorted, nr_low),
		.high = values_median(sorted + nr_low, n - nr_low),
		.low_share = (double)nr_low / (double)n,
	};
}
