/* SPDX-License-Identifier: MIT */
/*
 * Many statements at once. Source: S. Holm, "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6 (1979).
 */
#include "statistics.h"

static void sort_by_p(const double *p, size_t n, size_t *order)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at && p[order[at - 1]] > p[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* From the least probable on; with the first that does not hold, the others do not either. */
void holm_levels(const double *p, size_t n, double rate, size_t *order, double *ret_levels)
{
	bool holds = true;
	double level = rate;

	sort_by_p(p, n, order);
	for (size_t i = 0; i < n; i++) {
		if (holds)
			level = rate / (double)(n - i);
		holds = holds && p[order[i]] <= level;
		ret_levels[order[i]] = level;
	}
}
