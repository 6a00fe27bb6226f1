/* SPDX-License-Identifier: MIT */
/* What `xperf diff` decides by: whether series differ, which names are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <xperf/stat.h>

#include "cli/diff/diff.h"

static struct xp_stats stats_of(const double *values, size_t nr)
{
	struct xp_stats stats = { 0 };

	for (size_t i = 0; i < nr; i++)
		xp_stats_add(&stats, values[i]);
	return stats;
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 0.0005)
		fail_msg("%f is not %f", value, expected);
}

static void differences_have_intervals(void **state)
{
	(void)state;
	static const double few[] = { 10, 11, 12 }, more[] = { 20, 22, 24, 23, 21 };
	struct xp_stats a = stats_of(few, 3), b = stats_of(more, 5);
	double low, high;

	/* Means 11 and 22, squared errors 1/3 and 1/2; of 5.88 degrees of freedom t is 2.4588. */
	assert_int_equal(xp_stats_difference(&a, &b, &low, &high), 0);
	assert_near((low + high) / 2, 11);
	assert_near((high - low) / 2, 2.2446);
	/* One value, as scattered as the others: three of them have 2 degrees, t is 4.302653. */
	b = stats_of(more, 1);
	assert_int_equal(xp_stats_difference(&a, &b, &low, &high), 0);
	assert_near((high - low) / 2, 4.302653 * sqrt(1 + 1.0 / 3));
	a = stats_of(few, 1);
	assert_int_equal(xp_stats_difference(&a, &b, &low, &high), -ENODATA);
	/* Nothing scatters: what is the same each time differs for sure, or is one of a kind. */
	static const double same[] = { 1, 1 };
	a = stats_of(same, 2);
	assert_int_equal(xp_stats_difference(&a, &b, &low, &high), -ENODATA);
	b = stats_of(same, 2);
	assert_int_equal(xp_stats_difference(&a, &b, &low, &high), 0);
	assert_true(low == 0 && high == 0);
}

static void names_of_builds_become_the_same(void **state)
{
	(void)state;
	static const struct {
		const char *name, *normal;
	} functions[] = {
		{ "[.] main", "[.] main" },
		{ "[k] x.constprop.0", "[k] x" },
		{ "[k] x.isra.0.cold", "[k] x" },
		{ "[.] f.part.3", "[.] f" },
		{ "[.] malloc@@GLIBC_2.2.5", "[.] malloc" },
		{ "[.] free@plt", "[.] free@plt" },
		{ "[.] core::fmt::write::h0123456789abcdef", "[.] core::fmt::write" },
		{ "[.] a::h0123", "[.] a::h0123" },
	};
	static const struct {
		const char *name, *normal;
	} files[] = {
		{ "libc.so.6", "libc.so" },
		{ "libc-2.36.so", "libc.so" },
		{ "libstdc++.so.6.0.30", "libstdc++.so" },
		{ "ld-linux-x86-64.so.2", "ld-linux-x86-64.so" },
		{ "a-program", "a-program" },
		{ "x.sorted", "x.sorted" },
		{ "[kernel.kallsyms]", "[kernel.kallsyms]" },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		strcpy(name, functions[i].name);
		normalize_function(name);
		assert_string_equal(name, functions[i].normal);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		strcpy(name, files[i].name);
		normalize_file(name);
		assert_string_equal(name, files[i].normal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_have_intervals),
		cmocka_unit_test(names_of_builds_become_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
