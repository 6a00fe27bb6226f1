/* SPDX-License-Identifier: MIT */
/*
 * Statistics against numbers that R 4.2.2 computed, with diptest 0.76 for the dip. The commands are
 * beside the numbers; each series is a formula that R and C compute alike.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "statistics.h"

enum { MAX = 200 };

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool is_near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-15;
}

static void assert_near(int line, const char *what, double value, double expected)
{
	if (!is_near(value, expected))
		fail_msg("row of line %d: %s is %.12g, not %.12g", line, what, value, expected);
}

/* pnorm(c(-6, -1.5, 2.3)); qnorm(c(1e-6, .025, .9)) */
static void normal(void **state)
{
	(void)state;
	assert_near(__LINE__, "share", normal_below(-6), 9.8658764503769809e-10);
	assert_near(__LINE__, "share", normal_below(-1.5), 6.6807201268858071e-02);
	assert_near(__LINE__, "share", normal_below(2.3), 9.8927588997832416e-01);
	assert_near(__LINE__, "quantile", normal_quantile(1e-6), -4.7534243088228987);
	assert_near(__LINE__, "quantile", normal_quantile(.025), -1.9599639845400538);
	assert_near(__LINE__, "quantile", normal_quantile(.9), 1.2815515655446008);
}

/* x <- cos((1:20)^2); median(x); mad(x, constant = 1) */
static void medians(void **state)
{
	double x[20], scratch[20];

	(void)state;
	for (int i = 1; i <= 20; i++)
		x[i - 1] = cos(i * i);
	values_sort(x, 20);
	assert_near(__LINE__, "median", values_median(x, 20), 0.32152950074457687);
	assert_near(__LINE__, "spread", values_spread(x, 20, scratch), 0.50887802848054287);
	assert_near(__LINE__, "median", values_median(x, 1), x[0]);
}

/*
 * x <- sin((1:n)^2) + 0.3
 * w <- outer(x, x, "+") / 2; w <- sort(w[upper.tri(w, TRUE)]); median(w)
 * up to 50:  wilcox.test(x, exact = TRUE)$p.value
 *            k <- qsignrank(.025, n); if (psignrank(k, n) <= .025) k <- k + 1
 * above:     wilcox.test(x, exact = FALSE, correct = TRUE)$p.value
 *            k <- floor(n*(n+1)/4 + .5 + sqrt(n*(n+1)*(2*n+1)/24) * qnorm(.025))
 * w[k]; w[length(w) + 1 - k]
 */
static void signed_ranks(void **state)
{
	static const struct {
		int line;
		size_t n;
		double estimate, p, low, high;
	} rows[] = {
		{ __LINE__, 1, 1.14147098481, 1, -INFINITY, INFINITY },
		{ __LINE__, 5, 0.34233424475, 0.3125, -INFINITY, INFINITY },
		{ __LINE__, 8, 0.196247157792, 0.4609375, -0.574290674376, 0.966072261719 },
		{ __LINE__, 10, 0.0291829162411, 0.845703125, -0.449072247276, 0.616061360766 },
		{ __LINE__, 20, 0.0326740922626, 0.840822219849, -0.323912044603, 0.439883367572 },
		{ __LINE__, 50, 0.214200021719, 0.190959744362, -0.0880186357817, 0.383333758809 },
		{ __LINE__, 51, 0.201311183445, 0.19420997441, -0.0872659728364, 0.374747626274 },
		{ __LINE__, 60, 0.27507102217, 0.010522855894, 0.0730557381132, 0.445069021961 },
		{ __LINE__, 200, 0.308760471951, 4.67332180106e-08, 0.230676549057,
		  0.391363780131 },
	};
	double x[MAX], low, high;

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		size_t n = rows[i].n;

		for (size_t v = 0; v < n; v++)
			x[v] = sin((double)((v + 1) * (v + 1))) + 0.3;
		values_sort(x, n);
		assert_near(rows[i].line, "estimate", signed_rank_estimate(x, n), rows[i].estimate);
		assert_near(rows[i].line, "p", signed_rank_p(x, n), rows[i].p);
		signed_rank_interval(x, n, 0.05, &low, &high);
		assert_near(rows[i].line, "low", low, rows[i].low);
		assert_near(rows[i].line, "high", high, rows[i].high);
	}
}

/* Ties and zeros never help a statement, and 0 is outside of the interval if p says so. */
static void ties(void **state)
{
	struct random random = { 1 };
	double x[80], low, high;

	(void)state;
	for (int trial = 0; trial < 2000; trial++) {
		size_t n = 6 + random_below(&random, 70);
		double level = 0.001 + (double)random_below(&random, 200) / 1000;

		for (size_t i = 0; i < n; i++)
			x[i] = (double)random_below(&random, 5) - 1;
		values_sort(x, n);
		signed_rank_interval(x, n, level, &low, &high);
		assert_int_equal(low > 0 || high < 0, signed_rank_p(x, n) <= level);
	}
	memset(x, 0, sizeof(x));
	assert_near(__LINE__, "p", signed_rank_p(x, 40), 1);
	signed_rank_interval(x, 40, 0.05, &low, &high);
	assert_true(low == 0 && high == 0);
}

static void fewest_pairs(void **state)
{
	double x[50], low, high;

	(void)state;
	for (int i = 0; i < 50; i++)
		x[i] = i + 1;
	for (double level = 0.1; level > 1e-6; level /= 3) {
		size_t n = signed_rank_least(level);

		signed_rank_interval(x, n, level, &low, &high);
		assert_true(low > 0);
		signed_rank_interval(x, n - 1, level, &low, &high);
		assert_true(isinf(low) && isinf(high));
	}
}

/*
 * a <- sin((1:m)^2); b <- cos((1:n)^2) * 1.1 + 0.3; w <- sort(outer(b, a, "-")); median(w)
 * m * n up to 2500:  wilcox.test(b, a, exact = TRUE)$p.value
 *                    k <- qwilcox(.025, m, n); if (pwilcox(k, m, n) <= .025) k <- k + 1
 * above:             wilcox.test(b, a, exact = FALSE, correct = TRUE)$p.value
 *                    k <- floor(m * n / 2 + .5 + sqrt(m * n * (m + n + 1) / 12) * qnorm(.025))
 * w[k]; w[length(w) + 1 - k]
 */
static void rank_sums(void **state)
{
	static const struct {
		int line;
		size_t m, n;
		double estimate, p, low, high;
	} rows[] = {
		{ __LINE__, 1, 1, 0.0528615516470572, 1, -INFINITY, INFINITY },
		{ __LINE__, 1, 40, -0.146537846351255, 0.829268292682927, -1.62429696748202,
		  0.558142096659596 },
		{ __LINE__, 3, 3, 0.0528615516470572, 1, -INFINITY, INFINITY },
		{ __LINE__, 4, 4, -0.272722318846494, 0.885714285714286, -1.59489641316362,
		  1.65113503176288 },
		{ __LINE__, 5, 8, 0.255062502191936, 0.621600621600622, -0.682231043398042,
		  1.18223585312002 },
		{ __LINE__, 10, 10, 0.619188226506378, 0.0892095520578493, -0.123537434081269,
		  1.53645407618152 },
		{ __LINE__, 12, 30, 0.536241672041136, 0.0557123633471942, -0.0256935017418369,
		  1.2284033095992 },
		{ __LINE__, 50, 50, 0.560723628762906, 0.000100956488463969, 0.282751184361482,
		  0.964616420185133 },
		{ __LINE__, 2, 300, 0.298206959136532, 0.522804778772744, -1.35857358885247,
		  1.93514830008674 },
		{ __LINE__, 51, 51, 0.583200841252686, 7.22429162395924e-05, 0.309020703946521,
		  0.97644105478251 },
		{ __LINE__, 60, 200, 0.373502070085152, 0.000230641358143616, 0.189154496097506,
		  0.588984173549367 },
	};
	double a[MAX], b[300], low, high;

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		size_t m = rows[i].m, n = rows[i].n;

		for (size_t v = 0; v < m; v++)
			a[v] = sin((double)((v + 1) * (v + 1)));
		for (size_t v = 0; v < n; v++)
			b[v] = cos((double)((v + 1) * (v + 1))) * 1.1 + 0.3;
		values_sort(a, m);
		values_sort(b, n);
		assert_near(rows[i].line, "estimate", rank_sum_estimate(a, m, b, n),
			    rows[i].estimate);
		assert_near(rows[i].line, "p", rank_sum_p(a, m, b, n), rows[i].p);
		rank_sum_interval(a, m, b, n, 0.05, &low, &high);
		assert_near(rows[i].line, "low", low, rows[i].low);
		assert_near(rows[i].line, "high", high, rows[i].high);
	}
}

/* Of groups, too: ties never help a statement, and p and the interval agree. */
static void ties_of_groups(void **state)
{
	struct random random = { 2 };
	double a[80], b[80], low, high;
	int nr = 0;
	enum { TRIALS = 4000 };

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		size_t m = 1 + random_below(&random, 70), n = 1 + random_below(&random, 70);
		double level = 0.001 + (double)random_below(&random, 200) / 1000;

		for (size_t i = 0; i < m; i++)
			a[i] = (double)random_below(&random, 5);
		for (size_t i = 0; i < n; i++)
			b[i] = (double)random_below(&random, 5);
		values_sort(a, m);
		values_sort(b, n);
		rank_sum_interval(a, m, b, n, level, &low, &high);
		assert_int_equal(low > 0 || high < 0, rank_sum_p(a, m, b, n) <= level);
		nr += rank_sum_p(a, m, b, n) <= 0.05;
	}
	assert_in_range(nr, 0, TRIALS / 20);
	memset(a, 0, sizeof(a));
	assert_near(__LINE__, "p", rank_sum_p(a, 40, a, 30), 1);
	rank_sum_interval(a, 40, a, 30, 0.05, &low, &high);
	assert_true(low == 0 && high == 0);
}

static void fewest_of_groups(void **state)
{
	static const double a[] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 };
	double b[200], low, high;

	(void)state;
	for (int i = 0; i < 200; i++)
		b[i] = i + 1;
	for (size_t m = 2; m <= NR(a); m++)
		for (double level = 0.1; level > 1e-4; level /= 3) {
			size_t n = rank_sum_least(level, m);

			if (n > 200)
				continue;
			rank_sum_interval(a, m, b, n, level, &low, &high);
			assert_true(low > 0);
			if (n == 1)
				continue;
			rank_sum_interval(a, m, b, n - 1, level, &low, &high);
			assert_true(isinf(low) && isinf(high));
		}
}

/* p.adjust(c(.01, .04, .03, .005, .2), "holm") is .04 .09 .09 .025 .2 */
static void holm(void **state)
{
	static const double p[] = { .01, .04, .03, .005, .2 };
	static const double adjusted[] = { .04, .09, .09, .025, .2 };
	double levels[5];
	size_t order[5];

	(void)state;
	for (double rate = 0.001; rate < 0.3; rate += 0.001) {
		holm_levels(p, 5, rate, order, levels);
		for (int i = 0; i < 5; i++)
			if (fabs(adjusted[i] - rate) > 1e-9)
				assert_int_equal(p[i] <= levels[i], adjusted[i] <= rate);
	}
}

/*
 * x <- round(cos((1:n)^2) + (1:n)/n, 1)
 * cor.test(1:n, x, method = "kendall", exact = FALSE, continuity = TRUE)$p.value
 * s <- outer(1:n, 1:n, function(i, j) (x[j] - x[i]) / (j - i))
 * median(s[upper.tri(s)]) * (n - 1) / median(x)
 */
static void drift(void **state)
{
	static const struct {
		int line;
		size_t n;
		double p, share;
	} rows[] = {
		{ __LINE__, 6, 0.56609026181684996, 2.5 },
		{ __LINE__, 20, 0.22849396011837647, 1.2666666666666666 },
		{ __LINE__, 40, 0.0013320898490117067, 1.5555681818181812 },
		{ __LINE__, 100, 0.0095478921094598896, 1.1379310344827593 },
	};
	double x[100], scratch[4950];

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		size_t n = rows[i].n;
		struct drift found;

		for (size_t v = 1; v <= n; v++)
			x[v - 1] =
				nearbyint(10 * (cos((double)(v * v)) + (double)v / (double)n)) / 10;
		series_drift(x, n, scratch, &found);
		assert_near(rows[i].line, "p", found.p, rows[i].p);
		assert_near(rows[i].line, "share", found.share, rows[i].share);
	}
	memset(x, 0, sizeof(x));
	struct drift none;
	series_drift(x, 100, scratch, &none);
	assert_true(none.p == 1 && none.share == 0);
}

/* sum(abs(0.6745 * (x - median(x)) / mad(x, constant = 1)) > 3.5) */
static void outliers(void **state)
{
	static const double x[] = { 10, 10.1, 9.9, 10.05, 9.95, 12, 10.02, 9.98, 3 };
	static const double equal[] = { 1, 1, 1, 1, 5 };
	double scratch[18];

	(void)state;
	assert_int_equal(series_nr_outliers(x, 9, scratch), 2);
	/* without a spread there is no scale */
	assert_int_equal(series_nr_outliers(equal, 5, scratch), 0);
}

/* dip(cos((1:n)^2)); dip(sin((1:n)^2) + 3 * ((1:n) %% 2)) */
static void dips(void **state)
{
	static const struct {
		int line;
		size_t n;
		double one, two;
	} rows[] = {
		{ __LINE__, 4, 0.125, 0.22188126251189841 },
		{ __LINE__, 9, 0.11297386221436012, 0.11518034771540825 },
		{ __LINE__, 30, 0.076206478904110725, 0.10576072811100184 },
		{ __LINE__, 75, 0.056560515616619456, 0.091259016841861273 },
	};
	double one[75], two[75], scratch[225];

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		size_t n = rows[i].n;

		for (size_t v = 1; v <= n; v++) {
			one[v - 1] = cos((double)(v * v));
			two[v - 1] = sin((double)(v * v)) + 3 * (double)(v % 2);
		}
		values_sort(one, n);
		values_sort(two, n);
		assert_near(rows[i].line, "dip", dip_of(one, n, scratch), rows[i].one);
		assert_near(rows[i].line, "dip", dip_of(two, n, scratch), rows[i].two);
	}
	memset(one, 0, sizeof(one));
	assert_near(__LINE__, "dip", dip_of(one, 10, scratch), 0.05);
	assert_near(__LINE__, "dip", dip_of(one, 1, scratch), 0.5);
}

/* What dip_limit() promises, between rows of its table, too. */
static void dip_limits(void **state)
{
	static const size_t numbers[] = { 11, 40 };
	struct random random = { 5 };
	double x[40], scratch[120];
	enum { TRIALS = 10000 };

	(void)state;
	for (size_t i = 0; i < NR(numbers); i++) {
		int nr_above = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			for (size_t v = 0; v < numbers[i]; v++)
				x[v] = (double)random_below(&random, 1 << 30);
			values_sort(x, numbers[i]);
			nr_above += dip_of(x, numbers[i], scratch) > dip_limit(numbers[i]);
		}
		if (nr_above < TRIALS * 7 / 1000 || nr_above > TRIALS * 13 / 1000)
			fail_msg("%d of %d dips of %zu values are above the limit", nr_above,
				 TRIALS, numbers[i]);
	}
}

static void two_modes(void **state)
{
	double x[40], scratch[120];
	struct modes modes;

	(void)state;
	for (int i = 0; i < 40; i++)
		x[i] = (i < 30 ? 10 : 12) + sin(i * i) / 10;
	values_sort(x, 40);
	series_modes(x, 40, scratch, &modes);
	assert_true(modes.are_two && fabs(modes.low - 10) < 0.1 && fabs(modes.high - 12) < 0.1);
	assert_near(__LINE__, "share", modes.low_share, 0.75);
	for (int i = 0; i < 40; i++)
		x[i] = normal_quantile((i + 0.5) / 40);
	series_modes(x, 40, scratch, &modes);
	assert_false(modes.are_two);
}

static void changes(void **state)
{
	static const double a[] = { 10, 20, 30, 40, 50, 60 }, b[] = { 11, 22, 33, 44, 55, 66 };
	static const double zeros[] = { 0, 1, 0, 0, 2, 0 };
	struct change change;
	double scratch[6];

	(void)state;
	change_of_pairs(a, b, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_true(change.is_ratio && change.has_spread);
	assert_near(__LINE__, "estimate", change.estimate, 0.1);
	assert_near(__LINE__, "low", change.low, 0.1);
	assert_int_equal(change_verdict(&change, 1), VERDICT_MORE);
	change_of_pairs(b, a, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_int_equal(change_verdict(&change, 1), VERDICT_LESS);
	change_limit(&change, 0.01, scratch);
	assert_true(isinf(change_precision(&change)) && change_rounds_needed(&change, 0.01) == 8);
	change_of_pairs(a, a, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_int_equal(change_verdict(&change, 0), VERDICT_SAME);
	assert_false(change.has_spread);
	change_of_pairs(zeros, a, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_false(change.is_ratio);
	assert_near(__LINE__, "estimate", change.estimate, 35);
}

static void changes_of_groups(void **state)
{
	static const double a[] = { 60, 10, 20, 50, 30, 40 };
	static const double b[] = { 1200, 100, 400, 500, 600, 200, 800 };
	static const double zeros[] = { 0, 1, 0, 0, 2, 0 };
	struct change change;
	double scratch[13];

	(void)state;
	/* exp(median(outer(log(b), log(a), "-"))) - 1 */
	change_of_groups(a, 6, b, 7, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_true(change.is_ratio && change.has_spread && change.m == 6 && change.n == 7);
	assert_near(__LINE__, "estimate", change.estimate, 13.142135623730951);
	assert_int_equal(change_verdict(&change, 1), VERDICT_MORE);
	change_of_groups(b, 7, a, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_int_equal(change_verdict(&change, 1), VERDICT_LESS);
	/* two runs each can show nothing */
	change_of_groups(a, 2, b, 2, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_int_equal(change_verdict(&change, 1), VERDICT_UNCLEAR);
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 1), 8);
	change_of_groups(zeros, 6, a, 6, scratch, &change);
	change_limit(&change, 0.05, scratch);
	assert_true(!change.is_ratio);
	change_of_groups(zeros + 2, 2, zeros + 2, 1, scratch, &change);
	assert_true(!change.has_spread && change.p == 1);
}

/* What is unclear becomes clear with as many pairs of the same kind as were named. */
static void rounds_needed(void **state)
{
	struct change change = {
		.is_ratio = true, .n = 10, .estimate = 0.005, .low = -0.01, .high = 0.02
	};

	(void)state;
	assert_int_equal(change_verdict(&change, 0.01), VERDICT_UNCLEAR);
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 0.01), 90);
	change.estimate = 0.001;
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 0.016), 11);
	change.estimate = 0;
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 0), 0);
	/* of two groups of which the first does not grow, which may be too small */
	change.estimate = 0.01;
	change.m = 10;
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 0.01), 0);
	change.estimate = 0.0125;
	change.m = 20;
	assert_near(__LINE__, "rounds", change_rounds_needed(&change, 0.01), 19);
}

/* The shares of all looks are the whole rate. */
static void looks(void **state)
{
	(void)state;
	for (int last = 1; last < 30; last++) {
		double sum = look_rate(last, true);

		for (int i = 1; i < last; i++)
			sum += look_rate(i, false);
		assert_near(__LINE__, "sum", sum, ERROR_RATE);
	}
	assert_int_equal(look_next(0, 10), 10);
	assert_int_equal(look_next(10, 10), 15);
	assert_int_equal(look_next(15, 10), 23);
}

static void lots(void **state)
{
	struct random random = { 1 };
	int order[5], seen[5][5] = { { 0 } };

	(void)state;
	/* the generator's first values for the seed 1234567, from its authors' own program */
	struct random known = { 1234567 };
	assert_true(random_next(&known) == UINT64_C(6457827717110365317));
	assert_true(random_next(&known) == UINT64_C(3203168211198807973));
	for (int i = 0; i < 10000; i++) {
		random_order(&random, order, 5);
		for (int at = 0; at < 5; at++)
			seen[at][order[at]]++;
	}
	for (int i = 0; i < 25; i++)
		assert_in_range(seen[i / 5][i % 5], 1850, 2150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal),
		cmocka_unit_test(medians),
		cmocka_unit_test(signed_ranks),
		cmocka_unit_test(ties),
		cmocka_unit_test(fewest_pairs),
		cmocka_unit_test(rank_sums),
		cmocka_unit_test(ties_of_groups),
		cmocka_unit_test(fewest_of_groups),
		cmocka_unit_test(changes_of_groups),
		cmocka_unit_test(holm),
		cmocka_unit_test(drift),
		cmocka_unit_test(outliers),
		cmocka_unit_test(dips),
		cmocka_unit_test(dip_limits),
		cmocka_unit_test(two_modes),
		cmocka_unit_test(changes),
		cmocka_unit_test(rounds_needed),
		cmocka_unit_test(looks),
		cmocka_unit_test(lots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
