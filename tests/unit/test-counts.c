/* SPDX-License-Identifier: MIT */
/* Tables of counts: cells do not meet, and a table too large for memory is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

enum { EVENTS = 3, CPUS = 4, THREADS = 5 };

static uint64_t number_of(int event, int cpu, int thread)
{
	return (uint64_t)(event * 100 + cpu * 10 + thread);
}

static void fill(struct xp_counts *counts, uint64_t times)
{
	for (int e = 0; e < EVENTS; e++)
		for (int c = 0; c < CPUS; c++)
			for (int t = 0; t < THREADS; t++) {
				uint64_t n = number_of(e, c, t) * times;

				*xp_counts_at(counts, e, c, t) =
					(struct xp_count){ n, n + 1, n + 2, n + 3 };
			}
}

static void what_lies_outside_is_reported(void **state)
{
	static const int outside[][3] = { { -1, 0, 0 }, { 2, 0, 0 },  { 0, -1, 0 },
					  { 0, 3, 0 },  { 0, 0, -1 }, { 0, 0, 1 } };
	struct xp_counts *counts, *smaller;

	(void)state;
	assert_int_equal(xp_counts_new(2, 3, 1, &counts), 0);
	assert_int_equal(xp_counts_new(2, 2, 1, &smaller), 0);
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		assert_null(xp_counts_at(counts, outside[i][0], outside[i][1], outside[i][2]));
	assert_non_null(xp_counts_at(counts, 1, 2, 0));
	assert_int_equal(xp_counts_copy(smaller, counts), -EINVAL);
	assert_int_equal(xp_counts_subtract(counts, smaller), -EINVAL);
	xp_counts_free(smaller);
	xp_counts_free(counts);
}

static void every_cell_is_its_own(void **state)
{
	struct xp_counts *counts, *other;

	(void)state;
	assert_int_equal(xp_counts_new(EVENTS, CPUS, THREADS, &counts), 0);
	assert_int_equal(xp_counts_new(EVENTS, CPUS, THREADS, &other), 0);
	assert_int_equal(xp_counts_nr_events(counts), EVENTS);
	assert_int_equal(xp_counts_nr_cpus(counts), CPUS);
	assert_int_equal(xp_counts_nr_threads(counts), THREADS);
	assert_int_equal(xp_counts_at(counts, 2, 3, 4)->value, 0);
	fill(counts, 3);
	xp_counts_copy(other, counts);
	fill(counts, 1);
	xp_counts_subtract(other, counts);
	for (int e = 0; e < EVENTS; e++)
		for (int c = 0; c < CPUS; c++)
			for (int t = 0; t < THREADS; t++) {
				const struct xp_count *cell = xp_counts_at(other, e, c, t);

				assert_int_equal(cell->value, 2 * number_of(e, c, t));
				assert_int_equal(cell->enabled_ns, cell->value);
				assert_int_equal(cell->running_ns, cell->value);
				assert_int_equal(cell->lost, cell->value);
			}
	xp_counts_free(counts);
	xp_counts_free(other);
	xp_counts_free(NULL);
}

static void impossible_tables_are_refused(void **state)
{
	static const struct {
		int events, cpus, threads;
		int err;
	} rows[] = {
		{ 0, 1, 1, -EINVAL },
		{ 1, 0, 1, -EINVAL },
		{ 1, 1, -1, -EINVAL },
		{ INT_MAX, INT_MAX, INT_MAX, -ENOMEM },
		/* times 32 bytes: one more than 64 bits hold */
		{ 1 << 30, 1 << 29, 1, -ENOMEM },
		/* 2^59 cells, and a few */
		{ 1 << 20, 1 << 20, (1 << 19) + 1, -ENOMEM },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_counts *counts = NULL;

		assert_int_equal(
			xp_counts_new(rows[i].events, rows[i].cpus, rows[i].threads, &counts),
			rows[i].err);
		assert_null(counts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cell_is_its_own),
		cmocka_unit_test(what_lies_outside_is_reported),
		cmocka_unit_test(impossible_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
