/* SPDX-License-Identifier: MIT */
/* lib/base: numbers, lists, nearest names, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/suggest.h>

#include "glob.h"
#include "num.h"
#include "suggest.h"

static void numbers_are_strict(void **state)
{
	static const struct {
		const char *text;
		int base;
		int err;
		uint64_t value;
	} rows[] = {
		{ "0", 10, 0, 0 },
		{ "18446744073709551615", 10, 0, UINT64_MAX },
		{ "18446744073709551616", 10, -ERANGE, 0 },
		{ "", 10, -EINVAL, 0 },
		{ "-1", 10, -EINVAL, 0 },
		{ "1 ", 10, -EINVAL, 0 },
		{ "1a8", 16, 0, 0x1a8 },
		{ "0x1A8", 16, 0, 0x1a8 },
		{ "0x10", 0, 0, 16 },
		{ "0x", 0, -EINVAL, 0 },
		{ "0x10", 10, -EINVAL, 0 },
		{ "ffffffffffffffff", 16, 0, UINT64_MAX },
		{ "10000000000000000", 16, -ERANGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 0;
		int err = xp_num_parse(rows[i].text, strlen(rows[i].text), rows[i].base, &value);

		if (err != rows[i].err || value != rows[i].value)
			fail_msg("row %zu, '%s': %d, %llu", i, rows[i].text, err,
				 (unsigned long long)value);
	}
}

static int add_up(uint64_t first, uint64_t last, void *data)
{
	for (uint64_t i = first; i <= last; i++)
		*(uint64_t *)data += (uint64_t)1 << i;
	return 0;
}

static void lists_of_ranges(void **state)
{
	static const struct {
		const char *text;
		int err;
		int pos;
		uint64_t members;
	} rows[] = {
		{ "0", 0, 0, 1 },         { "0-3", 0, 0, 0xf },     { "0,2-3,5\n", 0, 0, 0x2d },
		{ "", -EINVAL, 0, 0 },    { "3-1", -EINVAL, 2, 0 }, { "1,,2", -EINVAL, 2, 0 },
		{ "1,x", -EINVAL, 2, 0 }, { "1 2", -EINVAL, 1, 0 }, { "64", -EINVAL, 0, 0 },
		{ "1-", -EINVAL, 2, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t members = 0;
		int pos = -1;
		int err = xp_num_ranges(rows[i].text, 63, add_up, &members, &pos);

		if (err != rows[i].err || (err ? pos != rows[i].pos : members != rows[i].members))
			fail_msg("row %zu, '%s': %d at %d", i, rows[i].text, err, pos);
	}
}

static void the_nearest_name_is_offered(void **state)
{
	static const char *const names[] = { "cycles", "instructions", "branches", "branch-misses",
					     "page-faults" };
	static const struct {
		const char *word;
		const char *best;
	} rows[] = {
		{ "cycels", "cycles" },
		{ "cylces", "cycles" },
		{ "instuctions", "instructions" },
		{ "branch-miss", "branch-misses" },
		{ "Page-Faults", "page-faults" },
		{ "zzzzzz", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_suggest suggest = { .word = rows[i].word, .len = strlen(rows[i].word) };

		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			xp_suggest_offer(&suggest, names[n]);
		if (!rows[i].best)
			assert_null(suggest.best);
		else
			assert_string_equal(suggest.best, rows[i].best);
	}
}

static void patterns_match_whole_names(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} rows[] = {
		{ "", "", true },        { "*", "", true },        { "?", "", false },
		{ "a*c", "abbc", true }, { "a*c", "abcb", false }, { "*a*b*", "xxaxxbxx", true },
		{ "?b?", "abc", true },  { "abc", "abcd", false }, { "abcd", "abc", false },
		{ "**a", "aaa", true },  { "*ab", "aaaab", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (xp_glob_match(rows[i].pattern, strlen(rows[i].pattern), rows[i].text) !=
		    rows[i].matches)
			fail_msg("row %zu, '%s' and '%s'", i, rows[i].pattern, rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(lists_of_ranges),
		cmocka_unit_test(the_nearest_name_is_offered),
		cmocka_unit_test(patterns_match_whole_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
