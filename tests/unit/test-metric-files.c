/* SPDX-License-Identifier: MIT */
/* Files of metrics: what is read, what is wrong with a file, and that all files in data/ are right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/formula.h>
#include <xperf/metric.h>

static int parse(struct xp_metric_defs *defs, const char *text, struct xp_diag *diag)
{
	return xp_metric_defs_parse(defs, text, strlen(text), "f", diag);
}

static struct xp_metric_defs *new_defs(void)
{
	struct xp_metric_defs *defs;

	assert_int_equal(xp_metric_defs_new(&defs), 0);
	return defs;
}

static void test_fields(void **state)
{
	struct xp_metric_defs *defs = new_defs();
	struct xp_diag diag = { 0 };

	(void)state;
	assert_int_equal(parse(defs,
			       "# a comment\n"
			       "group: Group\n"
			       "text: about\n"
			       "\tthe group\n"
			       "\n"
			       "metric: first\n"
			       "groups: Other Third\n"
			       "brief:   What it is  \n"
			       "events: a L1-x\n"
			       "formula: a /\n"
			       "  L1\\-x\n"
			       "unit: 0.5k/sec\n"
			       "threshold: first > 3\n"
			       "text: about\n"
			       "\tit\n"
			       "metric: second\r\n",
			       &diag),
			 -EINVAL);
	assert_string_equal(diag.what, "f:16: This line has bytes that are no text");
	assert_int_equal(xp_metric_defs_nr(defs), 0);
	assert_int_equal(parse(defs,
			       "group: Group\ntext: about\n\tthe group\n\n"
			       "metric: first\ngroups: Other Third\nbrief:   What it is  \n"
			       "events: a L1-x\nformula: a /\n  L1\\-x\nunit: 0.5k/sec\n"
			       "threshold: first > 3\ntext: about\n\tit\n"
			       "metric: second\nbrief: more\nformula: first * 2",
			       &diag),
			 0);
	assert_int_equal(xp_metric_defs_nr(defs), 2);
	const struct xp_metric_def *def = xp_metric_defs_find(defs, "first");
	assert_ptr_equal(def, xp_metric_defs_at(defs, 0));
	assert_string_equal(def->groups, "Group Other Third");
	assert_string_equal(def->brief, "What it is");
	assert_string_equal(def->text, "about it");
	assert_string_equal(def->formula_text, "a / L1\\-x");
	assert_string_equal(def->threshold_text, "first > 3");
	assert_string_equal(def->unit, "k/sec");
	assert_true(def->scale == 0.5);
	assert_int_equal(def->line, 5);
	assert_true(xp_metric_def_has_event(def, "L1-x"));
	assert_false(xp_metric_def_has_event(def, "L1"));
	assert_string_equal(xp_metric_defs_group(defs, 0)->text, "about the group");
	assert_string_equal(xp_metric_defs_group(defs, 2)->name, "Third");
	assert_null(xp_metric_defs_group(defs, 3));
	def = xp_metric_defs_at(defs, 1);
	assert_string_equal(def->groups, "Group");
	assert_string_equal(def->unit, "");
	assert_true(def->scale == 1);
	assert_null(def->threshold);
	assert_int_equal(xp_metric_defs_check(defs, def, &diag), 0);
	assert_null(xp_metric_defs_at(defs, 2));
	assert_null(xp_metric_defs_find(defs, "third"));
	xp_metric_defs_free(defs);
}

/* A file of the user goes over xperf's. */
static void test_replacement(void **state)
{
	struct xp_metric_defs *defs = new_defs();

	(void)state;
	assert_int_equal(parse(defs, "metric: a\nbrief: old\nformula: 1\n", NULL), 0);
	assert_int_equal(parse(defs, "metric: b\nbrief: b\nformula: 1\n", NULL), 0);
	assert_int_equal(parse(defs, "metric: a\nbrief: new\nformula: 1\n", NULL), 0);
	assert_int_equal(xp_metric_defs_nr(defs), 2);
	assert_string_equal(xp_metric_defs_at(defs, 0)->brief, "new");
	xp_metric_defs_free(defs);
}

#define METRIC "metric: a\nbrief: x\nformula: 1\n"

static const struct {
	int line;
	const char *text, *what;
} mistakes[] = {
	{ __LINE__, "formula: 1\n", "f:1: Before this, 'metric:' is missing" },
	{ __LINE__, "text: x\n", "f:1: Before this, 'metric:' or 'group:' is missing" },
	{ __LINE__, "hello\n", "f:1: A line has a field and its value: 'formula: a / b'" },
	{ __LINE__, METRIC "formla: 1\n",
	  "f:4: There is no field 'formla'; did you mean 'formula'?" },
	{ __LINE__, METRIC "brief: y\n", "f:4: The metric a has 'brief:' twice" },
	{ __LINE__, METRIC METRIC, "f:4: There are two metrics a" },
	{ __LINE__, METRIC "unit:\n", "f:4: 'unit:' has no value" },
	{ __LINE__, "metric: a\nformula: 1\n", "f:1: The metric a has no brief" },
	{ __LINE__, "metric: a\nbrief: x\n", "f:1: The metric a has no formula" },
	{ __LINE__, METRIC "unit: 1.2.3x\n", "f:1: The unit begins with a wrong number" },
	{ __LINE__, METRIC "unit: 0%\n", "f:1: The unit begins with a number that is no factor" },
	{ __LINE__, METRIC "threshold: (1\n",
	  "f:1: The threshold of a is wrong: ')' is missing here" },
	{ __LINE__, " metric: a\n",
	  "f:1: This line continues nothing: fields begin at the margin" },
	{ __LINE__, METRIC "text: a\xff\n", "f:4: This line has bytes that are no text" },
	{ __LINE__, METRIC "text: a\n  \x1b[1m\n", "f:5: This line has bytes that are no text" },
	{ __LINE__, "metric: a-b\n",
	  "f:1: A name consists of at most 100 letters, digits, '_' and '.', and begins with a "
	  "letter" },
	{ __LINE__, "group: all\n", "f:1: 'all' has a meaning in formulas: it is no name" },
	{ __LINE__, "group: A\ntext: x\ntext: y\n", "f:3: The group A has two texts" },
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct xp_metric_defs *defs = new_defs();
		struct xp_diag diag = { 0 };

		assert_int_equal(parse(defs, mistakes[i].text, &diag), -EINVAL);
		if (strcmp(diag.what, mistakes[i].what))
			fail_msg("line %d: %s", mistakes[i].line, diag.what);
		assert_int_equal(parse(defs, mistakes[i].text, NULL), -EINVAL);
		assert_int_equal(xp_metric_defs_nr(defs), 0);
		xp_metric_defs_free(defs);
	}
}

static const struct {
	const char *text;
	int err;
	const char *what;
} checks[] = {
	{ "events: x y\nformula: x / y\nthreshold: a > y\n", 0, "" },
	{ "formula: b * 2\n", 0, "" },
	{ "events: x\nformula: x / y\n", -ENOENT,
	  "f:1: The metric a uses 'y', which is no metric, and not in its events" },
	{ "formula: #num_cpu\n", -ENOENT, "f:1: There is no literal '#num_cpu'" },
	{ "formula: #num_cpus\n", 0, "" },
	{ "formula: has_event(whatever)\n", 0, "" },
	{ "formula: 1\nthreshold: c > 1\n", -ENOENT,
	  "f:1: The metric a uses 'c', which is no metric, and not in its events" },
	{ "formula: a + 1\n", -ELOOP, "needs itself" },
	{ "formula: loop\n", -ELOOP, "needs itself" },
};

static void test_checks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct xp_metric_defs *defs = new_defs();
		struct xp_diag diag = { 0 };
		char text[300];

		snprintf(text, sizeof(text), "metric: a\nbrief: x\n%s", checks[i].text);
		assert_int_equal(parse(defs, text, &diag), 0);
		assert_int_equal(parse(defs,
				       "metric: loop\nbrief: x\nformula: other * 2\n"
				       "metric: other\nbrief: x\nformula: loop + 1\n"
				       "metric: b\nbrief: x\nformula: 3\n",
				       &diag),
				 0);
		diag.what[0] = '\0';
		int err = xp_metric_defs_check(defs, xp_metric_defs_at(defs, 0), &diag);
		assert_int_equal(err, checks[i].err);
		if (err)
			assert_non_null(strstr(diag.what, checks[i].what));
		xp_metric_defs_free(defs);
	}
}

/* Each name in each formula is looked up: that has to end. */
static void test_many_references(void **state)
{
	struct xp_metric_defs *defs = new_defs();
	struct xp_diag diag = { 0 };
	char text[4000] = "metric: m0\nbrief: x\nformula: 1\n";
	size_t len = strlen(text);

	(void)state;
	for (int i = 1; i < 15; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"metric: m%d\nbrief: x\nformula: m%d+m%d+m%d+m%d+m%d\n", i,
					i - 1, i - 1, i - 1, i - 1, i - 1);
	assert_int_equal(parse(defs, text, &diag), 0);
	assert_int_equal(xp_metric_defs_check(defs, xp_metric_defs_find(defs, "m3"), &diag), 0);
	assert_int_equal(xp_metric_defs_check(defs, xp_metric_defs_find(defs, "m14"), &diag),
			 -ELOOP);
	xp_metric_defs_free(defs);
}

static int no_event_is_unused(enum xp_formula_use use, const char *name, void *data)
{
	(void)use;
	return !strcmp(name, data);
}

/* What is listed is used: else one of the two is mistyped. */
static void check_events(const struct xp_metric_def *def)
{
	char events[500], *save = NULL;

	snprintf(events, sizeof(events), "%s", def->events);
	for (char *word = strtok_r(events, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!xp_formula_walk(def->formula, NULL, no_event_is_unused, word))
			fail_msg("%s:%d: %s is not used", def->origin, def->line, word);
}

static void load(struct xp_metric_defs *defs, const char *dir)
{
	DIR *stream = opendir(dir);
	const struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		struct xp_diag diag = { 0 };
		char path[1000], text[100000];

		if (!strstr(entry->d_name, ".txt"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		FILE *file = fopen(path, "r");
		assert_non_null(file);
		size_t len = fread(text, 1, sizeof(text), file);
		fclose(file);
		if (xp_metric_defs_parse(defs, text, len, path, &diag))
			fail_msg("%s", diag.what);
	}
	closedir(stream);
}

static void test_own_files(void **state)
{
	struct xp_metric_defs *defs = new_defs();
	struct xp_diag diag = { 0 };
	const struct xp_metric_group *group;

	(void)state;
	load(defs, getenv("XPERF_METRICS_DIR"));
	assert_true(xp_metric_defs_nr(defs) > 30);
	for (int i = 0; i < xp_metric_defs_nr(defs); i++) {
		const struct xp_metric_def *def = xp_metric_defs_at(defs, i);

		if (xp_metric_defs_check(defs, def, &diag))
			fail_msg("%s", diag.what);
		check_events(def);
	}
	for (int i = 0; (group = xp_metric_defs_group(defs, i)); i++)
		if (!*group->text)
			fail_msg("the group %s has no text", group->name);
	xp_metric_defs_free(defs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),          cmocka_unit_test(test_replacement),
		cmocka_unit_test(test_mistakes),        cmocka_unit_test(test_checks),
		cmocka_unit_test(test_many_references), cmocka_unit_test(test_own_files),
	};

	if (!getenv("XPERF_METRICS_DIR")) {
		puts("XPERF_METRICS_DIR is not set: run by ctest");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
