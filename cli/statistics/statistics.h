/* SPDX-License-Identifier: MIT */
/*
 * What can be concluded from repeated measurements. Functions of numbers only: nothing is measured,
 * printed or kept here. Each file names the source of what it computes.
 */
#ifndef CLI_STATISTICS_H
#define CLI_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How often statements ("faster", "slower" and the like) may be wrong. Users are promised 0.05: the
 * difference is for what approximations and chance add.
 */
#define ERROR_RATE 0.04

/* --- order.c --- */

void values_sort(double *values, size_t n);
/* The middle of ascending values; n > 0. */
double values_median(const double *sorted, size_t n);
/* The median distance from the median. Overwrites @scratch, room for n values. n > 0. */
double values_spread(const double *sorted, size_t n, double *scratch);

/* --- normal.c: the standard normal distribution --- */

/* The share below @z. */
double normal_below(double z);
/* Below which @share lies, 0 < share < 1. */
double normal_quantile(double share);

/* --- signed-rank.c: n differences around a median, ascending; n > 0 --- */

/* The Hodges-Lehmann estimate of the median. */
double signed_rank_estimate(const double *sorted, size_t n);
/* How probable differences as uneven as these are if their median is 0. */
double signed_rank_p(const double *sorted, size_t n);
/*
 * Between what the median lies, but for a share of @level of all cases. The median 0 is outside if
 * and only if signed_rank_p() is at most @level. Without bounds, they are infinite.
 */
void signed_rank_interval(const double *sorted, size_t n, double level, double *ret_low,
			  double *ret_high);
/* With fewer differences than this, the interval never has bounds. */
size_t signed_rank_least(double level);

/* --- rank-sum.c: two groups of values, each ascending; m, n > 0 --- */

/* The Hodges-Lehmann estimate of the shift from a to b. */
double rank_sum_estimate(const double *a, size_t m, const double *b, size_t n);
/* How probable groups as far apart as these are if there is no shift. */
double rank_sum_p(const double *a, size_t m, const double *b, size_t n);
/* As signed_rank_interval(), of the shift. */
void rank_sum_interval(const double *a, size_t m, const double *b, size_t n, double level,
		       double *ret_low, double *ret_high);
/* With fewer values in the second group than this, the interval never has bounds. */
size_t rank_sum_least(double level, size_t m);

/* --- holm.c --- */

/*
 * The level for each of n statements, so that one or more of them is wrong in ERROR_RATE @share of
 * all cases only: what is true by its own level, p <= level, may be stated. Overwrites @order, room
 * for n numbers.
 */
void holm_levels(const double *p, size_t n, double rate, size_t *order, double *ret_levels);

/* --- change.c --- */

/* How one series of values differs from another one. */
struct change {
	bool is_ratio;   /* the numbers are shares of the first series' values, 0.02: 2 % more; else
			    they are in the unit of the values, as where some are 0 */
	bool has_spread; /* there are pairs that differ, or values of groups */
	size_t m;        /* values of the first group; 0: they are pairs */
	size_t n;        /* pairs, or values of the second group */
	double p;        /* how probable this is if both are the same */
	double estimate;
	double level;     /* of the interval */
	double low, high; /* the interval; infinite: there is none */
};

/*
 * Compares values that were measured in pairs: a[i] beside b[i]. Overwrites @scratch, room for n
 * values; change_limit() continues with it. n > 0.
 */
void change_of_pairs(const double *a, const double *b, size_t n, double *scratch,
		     struct change *ret_change);
/* The same of values that were measured independently; @scratch has room for m + n. m, n > 0. */
void change_of_groups(const double *a, size_t m, const double *b, size_t n, double *scratch,
		      struct change *ret_change);
/* Fills estimate, level, low and high; @scratch as the function above left it. */
void change_limit(struct change *change, double level, const double *scratch);
/* The interval's half width; of a ratio as a share, too. */
double change_precision(const struct change *change);

/* --- verdict.c --- */

enum verdict { VERDICT_SAME, VERDICT_LESS, VERDICT_MORE, VERDICT_UNCLEAR };

/* What the interval allows to say; @within: differences up to this are none, in its unit. */
enum verdict change_verdict(const struct change *change, double within);
/* The bound of what was found to be the same: the difference is not larger than this. */
double change_bound(const struct change *change);
/* How many pairs, or values of the second group, would make an unclear change clear, if they vary
 * as much as these; 0: that is not known, or no number would. */
double change_rounds_needed(const struct change *change, double within);

/* --- looks.c --- */

/* The rate of errors at the @nr-th look at data that are still being measured, from 1 on; @is_last:
 * there will be no other one. */
double look_rate(int nr, bool is_last);
/* After how many rounds to look, after the look at @rounds; 0: none yet. */
size_t look_next(size_t rounds, size_t least);

/* --- health.c: of values in the order they were measured --- */

/* How many are far from the others. Overwrites @scratch, room for 2 n values. */
size_t series_nr_outliers(const double *values, size_t n, double *scratch);

/* Whether values grow or shrink while they are measured. */
struct drift {
	double p;     /* how probable this is if they do not */
	double share; /* change from the first to the last, as a share of the median */
};
/* Overwrites @scratch, room for n (n - 1) / 2 values. */
void series_drift(const double *values, size_t n, double *scratch, struct drift *ret_drift);

/* Two groups of values. */
struct modes {
	bool are_two;
	double low, high; /* medians of both */
	double low_share; /* of the values, in the lower one */
};
/* @sorted: ascending. @scratch: room for 3 n values. */
void series_modes(const double *sorted, size_t n, double *scratch, struct modes *ret_modes);

/* --- dip.c --- */

/* Hartigan's dip of ascending values: how far their distribution is from any with one mode.
 * @scratch: room for 3 n values. n > 0. */
double dip_of(const double *sorted, size_t n, double *scratch);
/* A dip that is exceeded by chance in 1 % of all cases, of n values. */
double dip_limit(size_t n);

#endif
