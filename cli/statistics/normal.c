/* SPDX-License-Identifier: MIT */
/* The normal distribution by erfc(3): M. Abramowitz, I. A. Stegun, "Handbook of Mathematical
 * Functions", 26.2.29. */
#include "statistics.h"

#include <math.h>

double normal_below(double z)
{
	return erfc(-z / sqrt(2)) / 2;
}

/* By halving: 64 steps leave no digit open. */
double normal_quantile(double share)
{
	enum { STEPS = 64 };
	double low = -40, high = 40;

	for (int i = 0; i < STEPS; i++) {
		double z = (low + high) / 2;

		if (normal_below(z) < share)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}
