/* SPDX-License-Identifier: MIT */
/*
 * Medians. Source of the median absolute deviation: F. R. Hampel, "The influence curve and its role
 * in robust estimation", Journal of the American Statistical Association 69 (1974).
 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void values_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

double values_median(const double *sorted, size_t n)
{
	double above = sorted[n / 2];

	return n % 2 ? above : sorted[n / 2 - 1] + (above - sorted[n / 2 - 1]) / 2;
}

double values_spread(const double *sorted, size_t n, double *scratch)
{
	double median = values_median(sorted, n);

	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(sorted[i] - median);
	values_sort(scratch, n);
	return values_median(scratch, n);
}
