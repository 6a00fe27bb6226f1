/* SPDX-License-Identifier: MIT */
/*
 * Measuring until the result is precise enough means to look at it again and again, and each look
 * is one more occasion for a wrong statement. So each look gets a share of the rate of errors, and
 * all shares together are the whole: 1/2, 1/6, 1/12, … Whatever makes the measuring stop, the rate
 * of errors is kept, by Boole's inequality. Source: K. K. G. Lan, D. L. DeMets, "Discrete
 * sequential boundaries for clinical trials", Biometrika 70 (1983), of spending an error rate over
 * looks.
 */
#include "statistics.h"

/* The first @nr shares 1 / (i (i + 1)) add up to 1 - 1 / (nr + 1); the last look gets what is left.
 */
double look_rate(int nr, bool is_last)
{
	double i = nr;

	return is_last ? ERROR_RATE / i : ERROR_RATE / (i * (i + 1));
}

/* Half as many again: a look costs little then, and there are few of them. */
size_t look_next(size_t rounds, size_t least)
{
	return rounds < least ? least : rounds + (rounds + 1) / 2;
}
