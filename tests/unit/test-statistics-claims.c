/* SPDX-License-Identifier: MIT */
/*
 * What xperf-compare(1) promises, by simulation with fixed seeds: how often a difference is claimed
 * where there is none, on series that drift, have outliers and heavy tails, and how often a small
 * one is found. Prints the numbers of the manual.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "statistics.h"

enum { TRIALS = 2000, ROUNDS = 40, METRICS = 10, ROUNDS_OF_METRICS = 20 };

/* How the machine disturbs a measurement. */
struct noise {
	const char *name;
	double spread;        /* of the logarithm */
	bool has_heavy_tails; /* Student's t with two degrees of freedom, else normal */
	double outliers;      /* share of values that are up to five times as large */
	double drift;         /* of the logarithm, over all rounds */
	double steps;         /* of a random walk */
};

static const struct noise kinds[] = {
	{ "normal", .spread = 0.01 },
	{ "heavy tails", .spread = 0.01, .has_heavy_tails = true },
	{ "outliers", .spread = 0.01, .outliers = 0.1 },
	{ "drift", .spread = 0.01, .drift = 0.1 },
	{ "random walk", .spread = 0.005, .steps = 0.01 },
	{ "all", .spread = 0.01, .has_heavy_tails = true, .outliers = 0.05, .drift = 0.1,
	  .steps = 0.005 },
};

static double share(struct random *random)
{
	return ((double)(random_next(random) >> 12) + 0.5) / 4503599627370496.0;
}

/* G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates" (1958). */
static double draw_normal(struct random *random)
{
	double radius = sqrt(-2 * log(share(random)));

	return radius * cos(2 * 3.14159265358979323846 * share(random));
}

/* Student's t by the inverse of its distribution. */
static double draw(const struct noise *noise, struct random *random)
{
	double u = share(random);

	if (!noise->has_heavy_tails)
		return noise->spread * draw_normal(random);
	return noise->spread * (2 * u - 1) / sqrt(2 * u * (1 - u));
}

/* What the machine does in each of @nr slots of time, as logarithms. */
static void disturb(const struct noise *noise, struct random *random, double *slots, size_t nr)
{
	double walk = 0;

	for (size_t i = 0; i < nr; i++) {
		walk += noise->steps * draw_normal(random);
		slots[i] = draw(noise, random) + walk + noise->drift * (double)i / (double)nr;
		if (share(random) < noise->outliers)
			slots[i] += log(1 + 4 * share(random));
	}
}

struct pairs {
	double a[ROUNDS], b[ROUNDS];
};

/* Two commands that share the slots: by lot within each round, or one after the other. */
static void measure(const double *slots, size_t rounds, bool interleaved, double difference,
		    uint64_t seed, struct pairs *ret_pairs)
{
	struct random random = { seed };

	for (size_t i = 0; i < rounds; i++) {
		size_t of_a = i, of_b = rounds + i;

		if (interleaved) {
			of_a = 2 * i + random_below(&random, 2);
			of_b = 4 * i + 1 - of_a;
		}
		ret_pairs->a[i] = exp(slots[of_a]);
		ret_pairs->b[i] = exp(slots[of_b] + difference);
	}
}

static bool differs(const struct pairs *pairs, size_t rounds, double rate)
{
	struct change change;
	double scratch[ROUNDS];

	change_of_pairs(pairs->a, pairs->b, rounds, scratch, &change);
	return change.p <= rate;
}

static int nr_different(const struct noise *noise, size_t rounds, bool interleaved,
			double difference)
{
	struct random random = { 14 };
	double slots[2 * ROUNDS];
	struct pairs pairs;
	int nr = 0;

	for (int trial = 0; trial < TRIALS; trial++) {
		disturb(noise, &random, slots, 2 * rounds);
		measure(slots, rounds, interleaved, difference, random_next(&random), &pairs);
		nr += differs(&pairs, rounds, ERROR_RATE);
	}
	return nr;
}

static double percent(int nr)
{
	return 100.0 * nr / TRIALS;
}

/* The same command twice: interleaved, and A … A B … B. */
static void false_claims(void **state)
{
	(void)state;
	printf("Differences claimed of %d trials without any, %d rounds:\n", TRIALS, ROUNDS);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int nr = nr_different(&kinds[i], ROUNDS, true, 0);
		int nr_few = nr_different(&kinds[i], 10, true, 0);
		int nr_blocks = nr_different(&kinds[i], ROUNDS, false, 0);

		printf("%-12s interleaved %4.1f %% (10 rounds %4.1f %%), one after the other %5.1f %%\n",
		       kinds[i].name, percent(nr), percent(nr_few), percent(nr_blocks));
		assert_in_range(nr, 0, TRIALS / 20);
		assert_in_range(nr_few, 0, TRIALS / 20);
		if (kinds[i].drift > 0 || kinds[i].steps > 0)
			assert_in_range(nr_blocks, TRIALS / 2, TRIALS);
	}
}

/* Runs of different times, of a machine that is the same at both. */
static void false_claims_of_groups(void **state)
{
	static const size_t sizes[][2] = { { ROUNDS, ROUNDS }, { 10, ROUNDS }, { 3, 10 } };
	double slots[2 * ROUNDS], scratch[2 * ROUNDS];
	struct change change;

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t m = sizes[i / 3][0], n = sizes[i / 3][1];
		struct random random = { 17 };
		int nr = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			disturb(&kinds[i % 3], &random, slots, m + n);
			for (size_t v = 0; v < m + n; v++)
				slots[v] = exp(slots[v]);
			change_of_groups(slots, m, slots + m, n, scratch, &change);
			nr += change.p <= ERROR_RATE;
		}
		printf("%-12s %zu stored runs, %zu others: %4.1f %%\n", kinds[i % 3].name, m, n,
		       percent(nr));
		assert_in_range(nr, 0, TRIALS / 20);
	}
}

static void small_difference(void **state)
{
	int nr = nr_different(&kinds[0], ROUNDS, true, log(1.02));

	(void)state;
	printf("2 %% found under noise of 1 %%, %d rounds: %.1f %%\n", ROUNDS, percent(nr));
	assert_in_range(nr, TRIALS * 95 / 100, TRIALS);
}

/* Ten metrics at once, which the machine disturbs alike in part. */
static bool claims_any(const struct noise *noise, struct random *random, double rate)
{
	double common[2 * ROUNDS_OF_METRICS], slots[2 * ROUNDS_OF_METRICS], p[METRICS],
		levels[METRICS];
	double scratch[ROUNDS_OF_METRICS];
	uint64_t seed = random_next(random);
	size_t order[METRICS];
	bool any = false;

	disturb(noise, random, common, 2 * ROUNDS_OF_METRICS);
	for (int m = 0; m < METRICS; m++) {
		struct pairs pairs;
		struct change change;

		disturb(noise, random, slots, 2 * ROUNDS_OF_METRICS);
		for (int i = 0; i < 2 * ROUNDS_OF_METRICS; i++)
			slots[i] += m % 2 ? common[i] : 0;
		measure(slots, ROUNDS_OF_METRICS, true, 0, seed, &pairs);
		change_of_pairs(pairs.a, pairs.b, ROUNDS_OF_METRICS, scratch, &change);
		p[m] = change.p;
	}
	holm_levels(p, METRICS, rate, order, levels);
	for (int m = 0; m < METRICS; m++)
		any |= p[m] <= levels[m];
	return any;
}

static void ten_metrics(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct random random = { 15 };
		int nr = 0;

		for (int trial = 0; trial < TRIALS; trial++)
			nr += claims_any(&kinds[i], &random, ERROR_RATE);
		printf("%-12s any of %d metrics claimed to differ: %.1f %%\n", kinds[i].name,
		       METRICS, percent(nr));
		assert_in_range(nr, 0, TRIALS / 20);
	}
}

/* Looks at the data again and again, and stops at the first difference: the worst way to stop. */
static void repeated_looks(void **state)
{
	struct random random = { 16 };
	double slots[2 * ROUNDS];
	struct pairs pairs;
	int nr = 0, nr_naive = 0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		bool found = false, naive = false;
		int look = 0;

		disturb(&kinds[1], &random, slots, 2 * ROUNDS);
		measure(slots, ROUNDS, true, 0, random_next(&random), &pairs);
		for (size_t at = look_next(0, 10); at <= ROUNDS; at = look_next(at, 10)) {
			found |= differs(&pairs, at, look_rate(++look, false));
			naive |= differs(&pairs, at, ERROR_RATE);
		}
		nr += found || differs(&pairs, ROUNDS, look_rate(look + 1, true));
		nr_naive += naive || differs(&pairs, ROUNDS, ERROR_RATE);
	}
	printf("stopped at the first difference: %.1f %%; without shares of the rate: %.1f %%\n",
	       percent(nr), percent(nr_naive));
	assert_in_range(nr, 0, TRIALS / 20);
	assert_true(nr_naive > TRIALS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(false_claims),     cmocka_unit_test(false_claims_of_groups),
		cmocka_unit_test(small_difference), cmocka_unit_test(ten_metrics),
		cmocka_unit_test(repeated_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
