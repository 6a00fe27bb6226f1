/* SPDX-License-Identifier: MIT */
/* What the JSON writer writes, whatever it is given, and where its text goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "json-numbers.h"

static void expect(struct sink *out, const char *expected)
{
	sink_char(out, '\0');
	assert_int_equal(out->err, 0);
	assert_string_equal(out->buf, expected);
	sink_fini(out);
}

/* Commas, names, white space: of each level its own. */
static void test_levels(void **state)
{
	static const struct json_layout lines = { "\n\t", "\n\t", "\n" };
	struct sink out = SINK_KEPT;
	struct json json;

	(void)state;
	json_init(&json, &out, ": ");
	json_object(&json, NULL, &lines);
	json_uint(&json, "a", 0);
	json_array(&json, "none", &json_blanks);
	json_end(&json);
	json_array(&json, "some", &json_blanks);
	json_int(&json, NULL, -5);
	json_object(&json, NULL, &json_compact);
	json_bool(&json, "yes", true);
	json_space(&json, "  ");
	json_bool(&json, "no", false);
	json_end(&json);
	json_null(&json, NULL);
	json_end(&json);
	json_hex(&json, "at", 0x1f);
	json_end(&json);
	expect(&out,
	       "{\n\t\"a\": 0,\n\t\"none\": [],\n\t\"some\": [-5, {\"yes\": true,  \"no\": false}, "
	       "null],\n\t\"at\": \"0x1f\"\n}");
}

/* Deeper than any recording's chains. */
static void test_depth(void **state)
{
	enum { DEPTH = 10000 };
	struct sink out = SINK_KEPT;
	struct json json;

	(void)state;
	json_init(&json, &out, ":");
	for (int i = 0; i < DEPTH; i++)
		json_array(&json, NULL, &json_blanks);
	for (int i = 0; i < DEPTH; i++) {
		json_null(&json, NULL);
		json_end(&json);
	}
	assert_int_equal(out.err, 0);
	assert_int_equal(out.len, DEPTH * strlen("[, null]") - strlen(", "));
	sink_fini(&out);
}

static void test_texts(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ NULL, "null" },
		{ "", "\"\"" },
		{ "a \"b\" \\c/", "\"a \\\"b\\\" \\\\c/\"" },
		{ "\x1b[2J\n\t\x7f", "\"\\u001b[2J\\u000a\\u0009\\u007f\"" },
		{ "gr\xc3\xb6\xc3\x9f", "\"gr\xc3\xb6\xc3\x9f\"" },
		{ "\xe2\x80\xae\x41\xe2\x81\xa6\xd8\x9c\xc2\x9b",
		  "\"\\u202eA\\u2066\\u061c\\u009b\"" },
		{ "\xff\xc3", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sink out = SINK_KEPT;
		struct json json;

		json_init(&json, &out, ":");
		json_string(&json, NULL, cases[i].text);
		expect(&out, cases[i].json);
	}
}

/* Names of members come from recordings, too: those of a tracepoint's fields. */
static void test_name(void **state)
{
	struct sink out = SINK_KEPT;
	struct json json;

	(void)state;
	json_init(&json, &out, " : ");
	json_object(&json, NULL, &json_compact);
	json_string(&json, "a\"b\n", "c");
	json_end(&json);
	expect(&out, "{\"a\\\"b\\u000a\" : \"c\"}");
}

static void test_numbers(void **state)
{
	struct sink out = SINK_KEPT;
	struct json json;

	(void)state;
	json_init(&json, &out, ":");
	json_array(&json, NULL, &json_compact);
	json_uint(&json, NULL, UINT64_MAX);
	json_int(&json, NULL, INT64_MIN);
	json_hex(&json, NULL, UINT64_MAX);
	json_fixed(&json, NULL, 1234567.5, 2);
	json_fixed(&json, NULL, -0.25, 3);
	json_fixed(&json, NULL, NAN, 2);
	json_fixed(&json, NULL, -INFINITY, 2);
	json_number(&json, NULL, 0.1);
	json_number(&json, NULL, 1.0 / 3);
	json_number(&json, NULL, -2e-300);
	json_number(&json, NULL, 2e7);
	json_number(&json, NULL, -0.0);
	json_number(&json, NULL, 9007199254740993.0);
	json_number(&json, NULL, NAN);
	json_number(&json, NULL, INFINITY);
	json_end(&json);
	expect(&out,
	       "[18446744073709551615,-9223372036854775808,\"0xffffffffffffffff\",1234567.50,-0.250,"
	       "null,null,0.1,0.3333333333333333,-2e-300,20000000,-0,9007199254740992,null,null]");
}

/* What cannot be written is an error, once. */
static void test_full(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct sink out = SINK_TO_FILE(full);
	struct json json;

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	json_init(&json, &out, ":");
	json_array(&json, NULL, &json_compact);
	for (int i = 0; i < 100000; i++)
		json_string(&json, NULL, "text");
	json_end(&json);
	assert_int_equal(sink_flush(&out), -ENOSPC);
	sink_fini(&out);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),  cmocka_unit_test(test_depth),
		cmocka_unit_test(test_texts),   cmocka_unit_test(test_name),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
