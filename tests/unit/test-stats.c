/* SPDX-License-Identifier: MIT */
/* Statistics over runs: known means and standard errors. */
#include "stat-fixture.h"

#include <math.h>

static void known_series(void **state)
{
	static const struct {
		int line;
		size_t n;
		double values[8];
		double mean, error, pct;
	} rows[] = {
		{ __LINE__, 0, { 0 }, 0, 0, 0 },
		{ __LINE__, 1, { 7 }, 7, 0, 0 },
		{ __LINE__, 2, { 1, 3 }, 2, 1, 50 },
		{ __LINE__, 3, { 2, 3, 4 }, 3, 0.57735026919, 19.2450089730 },
		{ __LINE__, 8, { 2, 4, 4, 4, 5, 5, 7, 9 }, 5, 0.75592894602, 15.1185789204 },
		{ __LINE__, 3, { 5, 5, 5 }, 5, 0, 0 },
		{ __LINE__, 2, { -1, 1 }, 0, 1, 0 },
		{ __LINE__, 2, { -1, -3 }, -2, 1, 50 },
		/* large values with a small spread: sums of squares would lose it */
		{ __LINE__,
		  3,
		  { 1e15 + 2, 1e15 + 3, 1e15 + 4 },
		  1e15 + 3,
		  0.57735026919,
		  5.7735e-14 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_stats stats = { 0 };

		for (size_t v = 0; v < rows[i].n; v++)
			xp_stats_add(&stats, rows[i].values[v]);
		if (stats.n != rows[i].n || fabs(stats.mean - rows[i].mean) > 1e-9 ||
		    fabs(xp_stats_stderr(&stats) - rows[i].error) > 1e-9 ||
		    fabs(xp_stats_stderr_pct(&stats) - rows[i].pct) > 1e-6)
			fail_msg("row of line %d: mean %.12g, error %.12g, %.12g %%", rows[i].line,
				 stats.mean, xp_stats_stderr(&stats), xp_stats_stderr_pct(&stats));
	}
}

static void extremes(void **state)
{
	struct xp_stats stats = { 0 };

	(void)state;
	xp_stats_add(&stats, 5);
	assert_true(stats.min == 5 && stats.max == 5);
	xp_stats_add(&stats, -2);
	xp_stats_add(&stats, 9);
	assert_true(stats.min == -2 && stats.max == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_series),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
