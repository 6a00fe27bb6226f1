/* SPDX-License-Identifier: MIT */
/* Numbers as text: as printf has them, and as people of other countries write them. */
#include "stat-fixture.h"

#include <limits.h>

#include "number.h"
#include "sink.h"
#include "utf8.h"

static const struct number_format c_format;
static const struct number_format german = { ",", ".", "\3\3" };
static const struct number_format indian = { ".", ",", "\3\2" };

static void numbers_are_exact(void **state)
{
	static const double values[] = {
		0,     1,     0.5,   1.5,    2.5,    0.125,     0.375,       2.675,
		1.005, 0.005, 0.995, 9.9999, 1e-9,   1.0 / 3,   123456.789,  4500000,
		1e15,  1e16,  1e18,  1.2e19, 3.5e25, 0x1p35,    0x1p36 + .5, 0x1p53 + 2,
		-1,    -0.25, -0.0,  99.995, 0.0045, 1234567.5, 364520048.6
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (int precision = 0; precision <= 9; precision++) {
			char expected[NUMBER_LEN], text[NUMBER_LEN];

			snprintf(expected, sizeof(expected), "%.*f", precision, values[i]);
			text[number_fixed(text, values[i], precision)] = '\0';
			assert_string_equal(text, expected);
		}
	}
	/* many values near the halves, where rounding is decided */
	for (int i = 0; i < 200000; i++) {
		double value = (double)(i * 2 + 1) / 2000 + (i % 3 - 1) * 1e-15;
		char expected[NUMBER_LEN], text[NUMBER_LEN];

		snprintf(expected, sizeof(expected), "%.2f", value);
		text[number_fixed(text, value, 2)] = '\0';
		assert_string_equal(text, expected);
	}
}

static void digits_are_grouped_as_the_locale_says(void **state)
{
	static const struct number_format narrow = { ",", "\xe2\x80\xaf", "\3" };
	static const struct number_format once = { ".", ",", { 3, CHAR_MAX } };
	static const struct {
		int line;
		const struct number_format *format;
		double value;
		int precision;
		bool group;
		const char *expected;
	} rows[] = {
		{ __LINE__, &german, 0, 0, true, "0" },
		{ __LINE__, &german, 999, 0, true, "999" },
		{ __LINE__, &german, 1000, 0, true, "1.000" },
		{ __LINE__, &german, 1234567.891, 2, true, "1.234.567,89" },
		{ __LINE__, &german, 1234567.891, 2, false, "1234567,89" },
		{ __LINE__, &german, -123456, 0, true, "-123.456" },
		{ __LINE__, &indian, 123456789, 0, true, "12,34,56,789" },
		{ __LINE__, &once, 123456789, 0, true, "123456,789" },
		{ __LINE__, &narrow, 1234567, 0, true,
		  "1\xe2\x80\xaf"
		  "234\xe2\x80\xaf"
		  "567" },
		{ __LINE__, &c_format, 1234567.5, 1, true, "1234567.5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[NUMBER_LEN];

		text[number_put(text, rows[i].format, rows[i].value, rows[i].precision,
				rows[i].group)] = '\0';
		if (strcmp(text, rows[i].expected))
			fail_msg("row of line %d: \"%s\"", rows[i].line, text);
	}
	assert_int_equal(utf8_columns_of("1\xe2\x80\xaf"
					 "234",
					 7),
			 5);
}

static void counts_are_grouped_everywhere(void **state)
{
	static const struct {
		uint64_t value;
		const char *expected;
	} rows[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 123456, "123,456" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char text[COUNT_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(number_grouped(text, rows[i].value), rows[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_exact),
		cmocka_unit_test(digits_are_grouped_as_the_locale_says),
		cmocka_unit_test(counts_are_grouped_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
