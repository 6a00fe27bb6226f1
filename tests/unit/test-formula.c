/* SPDX-License-Identifier: MIT */
/* Formulas: values, reasons why there is none, places of mistakes, names that are needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/formula.h>

/* What names are worth here; all others have no value. */
static const struct {
	const char *name;
	double value;
} names[] = {
	{ "a", 7 },
	{ "b", 2 },
	{ "zero", 0 },
	{ "L1-dcache-loads", 1000 },
	{ "cpu/event=0x3c,umask=1/", 40 },
	{ "cycles:u", 5 },
	{ "inst_retired.any", 12 },
	{ "#num_cpus", 8 },
	{ "#smt_on", 1 },
	{ "1gram", 3 },
	{ "huge", 1e300 },
	{ "largest", 9223372036854774784.0 },
	{ "smallest", -9223372036854775808.0 },
	{ "infinite", INFINITY },
};

static int value_of(enum xp_formula_use use, const char *name, double *ret_value,
		    struct xp_diag *diag, void *data)
{
	(void)data;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, name))
			continue;
		*ret_value = use == XP_FORMULA_HAS_EVENT      ? 1
			     : use == XP_FORMULA_SOURCE_COUNT ? 6
							      : names[i].value;
		return 0;
	}
	*ret_value = 0;
	return use == XP_FORMULA_HAS_EVENT
		       ? 0
		       : xp_diag_set(diag, -ENODATA, "'%s' was not counted", name);
}

static const struct {
	int line;
	const char *text;
	double value;
} values[] = {
	{ __LINE__, "1", 1 },
	{ __LINE__, " 1.5e3 ", 1500 },
	{ __LINE__, ".25", 0.25 },
	{ __LINE__, "5.", 5 },
	{ __LINE__, "1e-9", 1e-9 },
	{ __LINE__, "1E+2", 100 },
	{ __LINE__, "0.1", 0.1 },
	{ __LINE__, "123456789.125", 123456789.125 },
	{ __LINE__, "a", 7 },
	{ __LINE__, "1gram", 3 },
	{ __LINE__, "a + b * 3", 13 },
	{ __LINE__, "(a + b) * 3", 27 },
	{ __LINE__, "a - b - 1", 4 },
	{ __LINE__, "a / b / 2", 1.75 },
	{ __LINE__, "a-b", 5 },
	{ __LINE__, "-a + b", -5 },
	{ __LINE__, "-(-a)", 7 },
	{ __LINE__, "--a", 7 },
	{ __LINE__, "-a * b", -14 },
	{ __LINE__, "a % b", 1 },
	{ __LINE__, "7.9 % 4.9", 3 },
	{ __LINE__, "-7 % 4", -3 },
	{ __LINE__, "a < b", 0 },
	{ __LINE__, "a > b", 1 },
	{ __LINE__, "a > b + 6", 0 },
	{ __LINE__, "6 & 3", 2 },
	{ __LINE__, "6 | 1 ^ 3", 6 },
	{ __LINE__, "4 | 2 & 3", 6 },
	{ __LINE__, "5 ^ 1", 4 },
	{ __LINE__, "a > 1 & b < 3", 1 },
	{ __LINE__, "1 if a > b else 2", 1 },
	{ __LINE__, "1 if a < b else 2", 2 },
	{ __LINE__, "1 if 0 else 2 if 0 else 3", 3 },
	{ __LINE__, "(1 if 1 else 2) + 1", 2 },
	{ __LINE__, "1 + 1 if 1 else 2", 2 },
	{ __LINE__, "a if 1 else a / zero", 7 },
	{ __LINE__, "missing if 0 else b", 2 },
	{ __LINE__, "min(a, b)", 2 },
	{ __LINE__, "max(a, b + 10)", 12 },
	{ __LINE__, "max(min(a, 3), 1 if 0 else 2)", 3 },
	{ __LINE__, "d_ratio(a, b)", 3.5 },
	{ __LINE__, "d_ratio(a, zero)", 0 },
	{ __LINE__, "has_event(a)", 1 },
	{ __LINE__, "has_event(missing)", 0 },
	{ __LINE__, "missing if has_event(missing) else 9", 9 },
	{ __LINE__, "source_count(a) * 64", 384 },
	{ __LINE__, "#num_cpus * 2", 16 },
	{ __LINE__, "a if #smt_on else b", 7 },
	{ __LINE__, "L1\\-dcache\\-loads / 10", 100 },
	{ __LINE__, "cpu@event\\=0x3c\\,umask\\=1@ / 4", 10 },
	{ __LINE__, "cycles:u * 2", 10 },
	{ __LINE__, "inst_retired.any", 12 },
	{ __LINE__, "0 * -1", 0 },
	{ __LINE__, "largest & 1", 0 },
	{ __LINE__, "-largest % -1", 0 },
};

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct xp_formula *formula;
		struct xp_diag diag = { 0 };
		double value = -1;
		char shown[120], expected[120];

		int err = xp_formula_parse(values[i].text, &formula, &diag);
		if (err)
			fail_msg("line %d: %s", values[i].line, diag.what);
		err = xp_formula_eval(formula, value_of, &value, &diag, NULL);
		if (err)
			fail_msg("line %d: %s", values[i].line, diag.what);
		snprintf(shown, sizeof(shown), "line %d: %.17g", values[i].line, value);
		snprintf(expected, sizeof(expected), "line %d: %.17g", values[i].line,
			 values[i].value);
		assert_string_equal(shown, expected);
		xp_formula_free(formula);
	}
}

static const struct {
	int line;
	const char *text;
	int err;
	int pos, len;
	const char *what;
} no_values[] = {
	{ __LINE__, "a / zero", -EDOM, 2, 1, "Division by zero" },
	{ __LINE__, "a / (b - 2)", -EDOM, 2, 1, "Division by zero" },
	{ __LINE__, "a % zero", -EDOM, 2, 1, "Division by zero" },
	{ __LINE__, "a % 0.5", -EDOM, 2, 1, "Division by zero" },
	{ __LINE__, "1 + missing / 2", -ENODATA, 4, 7, "'missing' was not counted" },
	{ __LINE__, "min(a, L1\\-x)", -ENODATA, 7, 5, "'L1-x' was not counted" },
	{ __LINE__, "a if missing else b", -ENODATA, 5, 7, "'missing' was not counted" },
	{ __LINE__, "#nothing", -ENODATA, 0, 8, "'#nothing' was not counted" },
	{ __LINE__, "huge * huge", -EDOM, 5, 1, "The result is too large for a number" },
	{ __LINE__, "huge & 1", -EDOM, 5, 1, "A number is too large for this operator" },
	{ __LINE__, "-smallest | 1", -EDOM, 10, 1, "A number is too large for this operator" },
	{ __LINE__, "infinite", -EDOM, 0, 8, "This is not a finite number" },
};

static void test_no_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(no_values) / sizeof(no_values[0]); i++) {
		struct xp_formula *formula;
		struct xp_diag diag = { 0 };
		double value = 123;

		assert_int_equal(xp_formula_parse(no_values[i].text, &formula, &diag), 0);
		int err = xp_formula_eval(formula, value_of, &value, &diag, NULL);
		if (err != no_values[i].err || strcmp(diag.what, no_values[i].what) ||
		    diag.pos != no_values[i].pos || diag.len != no_values[i].len || value != 123)
			fail_msg("line %d: %d, %d+%d, %s", no_values[i].line, err, diag.pos,
				 diag.len, diag.what);
		assert_string_equal(diag.input, no_values[i].text);
		assert_int_equal(xp_formula_eval(formula, value_of, &value, NULL, NULL), err);
		xp_formula_free(formula);
	}
}

static const struct {
	int line;
	const char *text;
	int pos, len;
	const char *what;
} mistakes[] = {
	{ __LINE__, "", 0, 1, "a value is missing at the end" },
	{ __LINE__, "a +", 3, 1, "a value is missing at the end" },
	{ __LINE__, "a b", 2, 1, "an operator is expected here" },
	{ __LINE__, "* a", 0, 1, "a value is expected here" },
	{ __LINE__, "(a", 2, 1, "')' is missing here" },
	{ __LINE__, "a)", 1, 1, "an operator is expected here" },
	{ __LINE__, "a if b", 6, 1, "'else' is missing here" },
	{ __LINE__, "a else b", 2, 4, "an operator is expected here" },
	{ __LINE__, "if a else b", 0, 2, "a value is missing before this" },
	{ __LINE__, "min(a)", 5, 1, "',' is missing here" },
	{ __LINE__, "min a", 4, 1, "'(' is missing here" },
	{ __LINE__, "has_event(1)", 10, 1, "the name of an event is missing here" },
	{ __LINE__, "has_event(a + b)", 12, 1, "')' is missing here" },
	{ __LINE__, "a == b", 2, 1, "an operator is expected here" },
	{ __LINE__, "a\nb", 1, 1, "an operator is expected here" },
	{ __LINE__, "a \\ b", 2, 1, "an operator is expected here" },
	{ __LINE__, "1e999", 0, 5, "the number is too large" },
};

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct xp_formula *formula = NULL;
		struct xp_diag diag = { 0 };
		int err = xp_formula_parse(mistakes[i].text, &formula, &diag);

		if (err != -EINVAL || strcmp(diag.what, mistakes[i].what) ||
		    diag.pos != mistakes[i].pos || diag.len != mistakes[i].len)
			fail_msg("line %d: %d, %d+%d, %s", mistakes[i].line, err, diag.pos,
				 diag.len, diag.what);
		assert_null(formula);
		assert_int_equal(xp_formula_parse(mistakes[i].text, &formula, NULL), -EINVAL);
	}
}

/* @nr times @text, then "1" */
static int parse_repeated(const char *text, int nr, struct xp_formula **ret_formula,
			  struct xp_diag *diag)
{
	char *whole = calloc((size_t)nr + 2, strlen(text) + 1), *end = whole;

	assert_non_null(whole);
	for (int i = 0; i < nr; i++)
		end = stpcpy(end, text);
	strcpy(end, "1");
	int err = xp_formula_parse(whole, ret_formula, diag);
	free(whole);
	return err;
}

static void test_bounds(void **state)
{
	static const char *const nested[] = { "(", "-", "1 if 1 else ", "min(1,", "1 < 2 if " };
	struct xp_formula *formula;
	struct xp_diag diag;
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++) {
		int err = parse_repeated(nested[i], 5000, &formula, &diag);

		assert_true(err == -E2BIG || err == -EINVAL);
		assert_true(diag.pos >= 0 && (size_t)diag.pos <= strlen(diag.input));
	}
	assert_int_equal(parse_repeated("1+", 400, &formula, &diag), 0);
	assert_int_equal(xp_formula_eval(formula, NULL, &value, &diag, NULL), 0);
	assert_true(value == 401);
	xp_formula_free(formula);
	assert_int_equal(parse_repeated("1+", 4000, &formula, &diag), -E2BIG);
	assert_string_equal(diag.what, "the formula is too long");
	assert_int_equal(parse_repeated("x", 300, &formula, &diag), -E2BIG);
}

static int add_name(enum xp_formula_use use, const char *name, void *data)
{
	char *text = data;

	(void)use;
	strcat(strcat(text, name), " ");
	return !strcmp(name, "stop") ? 1 : 0;
}

static const struct {
	const char *text, *all, *needed;
} walks[] = {
	{ "a + b * a", "a b a ", "a b a " },
	{ "a if has_event(x) else b", "a b x ", "b " },
	{ "a if #smt_on else b", "a b #smt_on ", "a " },
	{ "a if has_event(a) & c else b", "a b a c ", "a b a c " },
	{ "max(d_ratio(a, b), -c)", "a b c ", "a b c " },
	{ "source_count(a) * stop + b", "a stop ", "a stop " },
};

static int known(enum xp_formula_use use, const char *name, double *ret_value, struct xp_diag *diag,
		 void *data)
{
	(void)data;
	return use == XP_FORMULA_VALUE ? -ENODATA : value_of(use, name, ret_value, diag, NULL);
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		struct xp_formula *formula;
		char text[100] = "";

		assert_int_equal(xp_formula_parse(walks[i].text, &formula, NULL), 0);
		assert_int_equal(xp_formula_walk(formula, NULL, add_name, text),
				 strstr(walks[i].all, "stop") != NULL);
		assert_string_equal(text, walks[i].all);
		text[0] = '\0';
		xp_formula_walk(formula, known, add_name, text);
		assert_string_equal(text, walks[i].needed);
		xp_formula_free(formula);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),   cmocka_unit_test(test_no_values),
		cmocka_unit_test(test_mistakes), cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_names),
	};

	setlocale(LC_ALL, "de_DE.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
