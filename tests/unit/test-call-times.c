/* SPDX-License-Identifier: MIT */
/* Buckets of times: each time has one, percentiles are as near as they say, no call is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <xperf/functions.h>

#include "latency.h"

static void each_time_is_in_its_bucket(void **state)
{
	(void)state;
	for (uint32_t i = 0; i + 1 < LATENCY_BUCKETS; i++) {
		uint64_t least = latency_least(i), next = latency_least(i + 1);

		assert_true(least < next);
		assert_int_equal(latency_bucket(least), i);
		assert_int_equal(latency_bucket(next - 1), i);
		/* The middle differs from any of them by a 64th at most. */
		assert_true((next - least) * 32 <= least || next - least == 1);
	}
	assert_int_equal(latency_least(LATENCY_BUCKETS - 1), 1ULL << LATENCY_POWERS);
	assert_int_equal(latency_bucket(UINT64_MAX), LATENCY_BUCKETS - 1);
}

static const struct {
	uint64_t value;
	uint32_t power;
} powers[] = {
	{ 0, 0 }, { 1, 0 },    { 2, 1 },     { 3, 1 },
	{ 4, 2 }, { 1023, 9 }, { 1024, 10 }, { UINT64_MAX, 63 },
};

static void the_highest_bit_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
		assert_int_equal(latency_power(powers[i].value), powers[i].power);
}

static void add(struct xp_calls *calls, uint64_t *buckets, uint64_t ns)
{
	buckets[latency_bucket(ns)]++;
	calls->timed++;
	if (ns > calls->max_ns)
		calls->max_ns = ns;
}

/* The nearest rank of 1 to n thousand nanoseconds is known. */
static void percentiles_are_as_near_as_they_say(void **state)
{
	static const double percents[] = { 0, 1, 10, 50, 90, 99, 99.9, 100 };
	uint64_t buckets[LATENCY_BUCKETS] = { 0 };
	struct xp_calls calls = { .size = sizeof(calls), .buckets = buckets };

	(void)state;
	assert_int_equal(xp_calls_percentile(&calls, 50), 0);
	for (int i = 1; i <= 1000; i++)
		add(&calls, buckets, (uint64_t)i * 1000);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t got = xp_calls_percentile(&calls, percents[i]);
		double want = percents[i] * 10 * 1000;

		if (want < 1000)
			want = 1000;
		assert_true((double)got >= want * (1 - 1.0 / 64) &&
			    (double)got <= want * (1 + 1.0 / 64));
		assert_true(got <= calls.max_ns);
	}
}

static void longest_times_have_no_percentile(void **state)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 };
	struct xp_calls calls = { .size = sizeof(calls), .buckets = buckets };

	(void)state;
	add(&calls, buckets, 20);
	add(&calls, buckets, 1ULL << 43);
	assert_int_equal(xp_calls_percentile(&calls, 50), 20);
	assert_int_equal(xp_calls_percentile(&calls, 99), 0);
}

static void no_call_is_lost_between_powers(void **state)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 }, sums[LATENCY_POWERS] = { 0 }, sum = 0;
	struct xp_calls calls = { .size = sizeof(calls), .buckets = buckets };

	(void)state;
	for (uint64_t ns = 0; ns >> LATENCY_POWERS == 0; ns += ns / 7 + 1) {
		add(&calls, buckets, ns);
		sums[latency_power(ns)]++;
	}
	for (int i = 0; i < LATENCY_POWERS; i++) {
		assert_int_equal(xp_calls_between(&calls, i), sums[i]);
		sum += sums[i];
	}
	assert_int_equal(sum, calls.timed);
	assert_int_equal(xp_calls_between(&calls, -1), 0);
	assert_int_equal(xp_calls_between(&calls, LATENCY_POWERS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_time_is_in_its_bucket),
		cmocka_unit_test(the_highest_bit_is_found),
		cmocka_unit_test(percentiles_are_as_near_as_they_say),
		cmocka_unit_test(longest_times_have_no_percentile),
		cmocka_unit_test(no_call_is_lost_between_powers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
