/* SPDX-License-Identifier: MIT */
/* Stored runs for `compare --import`: what is read of each program's documents, and what is said of
 * those that are none. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xperf/diag.h>

#include "cli/compare/stored.h"
#include "feature.h"

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

static void needs_json(void)
{
	if (feature_is_on("json-c"))
		return;
	print_message("skipped: built without json-c\n");
	skip();
}

static void parse(const char *text, struct stored_runs *runs)
{
	struct xp_diag diag = { 0 };

	if (stored_parse(runs, text, strlen(text), &diag))
		fail_msg("refused: %s", diag.what);
}

/* hyperfine 1.20 --export-json */
static void hyperfine(void **state)
{
	struct stored_runs runs;

	(void)state;
	needs_json();
	parse("{\"results\":[{\"command\":\"sleep 0.1\",\"mean\":0.2,\"stddev\":null,\"median\":0.2,"
	      "\"user\":0.0005,\"system\":0.001,\"min\":0.1,\"max\":0.3,\"times\":[0.1,0.3,2e-1],"
	      "\"memory_usage_byte\":[1,2,3],\"exit_codes\":[0,null,0],"
	      "\"parameters\":{\"n\":\"0.1\"}}]}\n",
	      &runs);
	assert_int_equal(runs.nr, 1);
	assert_null(runs.host);
	assert_string_equal(runs.at[0].command, "sleep 0.1");
	assert_string_equal(runs.at[0].name, "sleep 0.1");
	assert_int_equal(runs.at[0].nr_runs, 3);
	assert_false(runs.at[0].in_turns);
	const double *times = stored_find(&runs.at[0], "wall", "s");
	assert_true(times && times[0] == 0.1 && times[1] == 0.3 && times[2] == 0.2);
	/* means are no runs */
	assert_null(stored_find(&runs.at[0], "user", "s"));
	const double *rss = stored_find(&runs.at[0], "max-rss", "byte");
	assert_true(rss && rss[0] == 1 && rss[2] == 3);
	stored_fini(&runs);
}

/* hyperfine 2.0 --export-json */
static void hyperfine_2(void **state)
{
	struct stored_runs runs;

	(void)state;
	needs_json();
	parse("{\"schema_version\":2,\"primary_metric\":\"time_wall_clock\",\"metadata\":{},"
	      "\"results\":[{\"command\":\"sleep 1\",\"name\":\"wait\",\"measurements\":["
	      "{\"time_wall_clock\":{\"value\":1.5,\"unit\":\"second\"},"
	      "\"time_cpu\":{\"value\":0.3,\"unit\":\"second\"},"
	      "\"time_user\":{\"value\":0.2,\"unit\":\"second\"},"
	      "\"time_system\":{\"value\":0.1,\"unit\":\"second\"},"
	      "\"memory_peak_resident\":{\"value\":4096.0,\"unit\":\"byte\"},"
	      "\"cpu_cycles\":{\"value\":7},\"exit_code\":0},"
	      "{\"time_wall_clock\":{\"value\":2,\"unit\":\"second\"},"
	      "\"time_user\":{\"value\":0.3,\"unit\":\"second\"},"
	      "\"time_system\":{\"value\":0.2,\"unit\":\"second\"},"
	      "\"memory_peak_resident\":{\"value\":8192.0,\"unit\":\"byte\"},"
	      "\"cpu_cycles\":{\"value\":8},\"exit_code\":null}],"
	      "\"summary\":{\"time_wall_clock\":{\"mean\":1.75}}}]}",
	      &runs);
	assert_string_equal(runs.at[0].name, "wait");
	assert_int_equal(runs.at[0].nr_runs, 2);
	static const struct {
		const char *name, *unit;
		double first, second;
	} rows[] = {
		{ "wall", "s", 1.5, 2 },  { "user", "s", 0.2, 0.3 },
		{ "sys", "s", 0.1, 0.2 }, { "max-rss", "byte", 4096, 8192 },
		{ "cycles", "", 7, 8 },
	};
	for (size_t i = 0; i < NR(rows); i++) {
		const double *values = stored_find(&runs.at[0], rows[i].name, rows[i].unit);

		assert_true(values && values[0] == rows[i].first && values[1] == rows[i].second);
	}
	assert_null(stored_find(&runs.at[0], "instructions", ""));
	stored_fini(&runs);
}

static void ours(void **state)
{
	struct stored_runs runs;

	(void)state;
	needs_json();
	parse("{\"schema\":\"xperf-compare-1\",\"rounds\":2,\"machine\":{\"host\":\"box\"},"
	      "\"results\":[{\"command\":\"a b\",\"name\":\"A\",\"times\":[1,2],\"metrics\":{"
	      "\"wall\":{\"unit\":\"s\",\"values\":[1,2]},"
	      "\"max-rss\":{\"unit\":\"byte\",\"values\":[null,5]},"
	      "\"x\":{\"values\":[-1,0]}}},"
	      "{\"command\":\"c\",\"imported\":\"old.json\",\"times\":[1,2]}]}",
	      &runs);
	assert_int_equal(runs.nr, 2);
	assert_string_equal(runs.host, "box");
	assert_string_equal(runs.at[0].name, "A");
	assert_true(runs.at[0].in_turns);
	assert_false(runs.at[1].in_turns);
	const double *rss = stored_find(&runs.at[0], "max-rss", "byte");
	assert_true(rss && isnan(rss[0]) && rss[1] == 5);
	assert_null(stored_find(&runs.at[0], "max-rss", "s"));
	assert_non_null(stored_find(&runs.at[0], "x", ""));
	stored_fini(&runs);
}

#define RESULT(rest) "{\"results\":[{\"command\":\"a\"," rest "}]}"

static void refused(void **state)
{
	static const struct {
		int line;
		const char *text, *sentence;
	} rows[] = {
		{ __LINE__, "", "The JSON document is cut off" },
		{ __LINE__, "{\"results\":[", "The JSON document is cut off" },
		{ __LINE__, "a: 1", "That is no JSON document: " },
		{ __LINE__, "{\"results\":[]}{}", "That is no JSON document: " },
		{ __LINE__, "{\"command\":\"\xff\"}", "That is no JSON document: " },
		{ __LINE__, "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
		  "That is no JSON document: " },
		{ __LINE__, "[]", "The JSON document has no list 'results' of 1 to 1000 commands" },
		{ __LINE__, "null\n",
		  "The JSON document has no list 'results' of 1 to 1000 commands" },
		{ __LINE__, "{\"results\":[]}",
		  "The JSON document has no list 'results' of 1 to 1000 commands" },
		{ __LINE__, "{\"results\":[1]}", "results[0]: there is no 'command'" },
		{ __LINE__, RESULT("\"mean\":1"),
		  "results[0]: there are no 'times' or 'measurements' of single runs" },
		{ __LINE__, RESULT("\"measurements\":[]"),
		  "results[0]: there are 0 'measurements', not 1 to 100000" },
		{ __LINE__, RESULT("\"measurements\":[1]"),
		  "results[0]: value 1 of 'time_wall_clock' is no time in seconds" },
		{ __LINE__, RESULT("\"measurements\":[{\"time_wall_clock\":{\"value\":1}},{}]"),
		  "results[0]: 'time_wall_clock' of measurement 2 is no number" },
		{ __LINE__, RESULT("\"measurements\":[{\"time_wall_clock\":{\"value\":-1}}]"),
		  "results[0]: value 1 of 'time_wall_clock' is no time in seconds" },
		{ __LINE__, RESULT("\"times\":[]"),
		  "results[0]: there are 0 'times', not 1 to 100000" },
		{ __LINE__, RESULT("\"times\":[1,\"2\"]"),
		  "results[0]: value 2 of 'wall' is no number" },
		{ __LINE__, RESULT("\"times\":[1e999]"),
		  "results[0]: value 1 of 'wall' is no number" },
		{ __LINE__, RESULT("\"times\":[-1]"),
		  "results[0]: value 1 of 'times' is no time in seconds" },
		{ __LINE__, RESULT("\"times\":[null]"),
		  "results[0]: value 1 of 'times' is no time in seconds" },
		{ __LINE__, RESULT("\"times\":[1],\"metrics\":{\"x\":{}}"),
		  "results[0]: the metric 'x' has no list 'values'" },
		{ __LINE__, RESULT("\"times\":[1],\"metrics\":{\"x\":{\"values\":[1,2]}}"),
		  "results[0]: 'x' has 2 values for 1 runs" },
	};

	(void)state;
	needs_json();
	for (size_t i = 0; i < NR(rows); i++) {
		struct stored_runs runs;
		struct xp_diag diag = { 0 };
		int err = stored_parse(&runs, rows[i].text, strlen(rows[i].text), &diag);

		stored_fini(&runs);
		if (err != -EBADMSG ||
		    strncmp(diag.what, rows[i].sentence, strlen(rows[i].sentence)) != 0)
			fail_msg("row of line %d: error %d, %s", rows[i].line, err, diag.what);
	}
}

/* Hundreds of bytes for each byte of the file are not allocated. */
static void bounded(void **state)
{
	struct xp_diag diag = { 0 };
	struct stored_runs runs;
	size_t len = 2 * STORED_NODES_MAX + 10;
	char *text = malloc(len);

	(void)state;
	needs_json();
	for (size_t i = 0; i < len; i++)
		text[i] = i % 2 ? ',' : '{';
	assert_int_equal(stored_parse(&runs, text, len, &diag), -EBADMSG);
	assert_non_null(strstr(diag.what, "more than 100000 objects and lists"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hyperfine), cmocka_unit_test(hyperfine_2), cmocka_unit_test(ours),
		cmocka_unit_test(refused),   cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
