/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a formula. The value of a name follows from its letters, some have
 * none. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One line, and a place inside the text it quotes or right after it. */
static void check_diag(const struct xp_diag *diag, int err)
{
	assert(diag->err == err);
	assert(diag->what[0]);
	assert(!strpbrk(diag->what, "\n\r\t\x1b"));
	assert(!strpbrk(diag->input, "\n\r\t\x1b"));
	assert(diag->pos >= 0 && diag->len >= 1);
	assert((size_t)diag->pos <= strlen(diag->input));
	assert(diag->len == 1 || (size_t)(diag->pos + diag->len) <= strlen(diag->input));
}

static int value_of(enum xp_formula_use use, const char *name, double *ret_value,
		    struct xp_diag *diag, void *data)
{
	static const double values[] = { 0,
					 1,
					 -1,
					 0.5,
					 3,
					 1e300,
					 -1e300,
					 9223372036854775807.0,
					 -9223372036854775808.0,
					 1e-300,
					 INFINITY,
					 NAN };
	size_t sum = (size_t)use;

	(void)data;
	assert(name[0]);
	for (const char *c = name; *c; c++)
		sum = sum * 31 + (unsigned char)*c;
	if (sum % 7 == 6)
		return xp_diag_set(diag, -ENODATA, "It was not counted");
	*ret_value = values[sum % (sizeof(values) / sizeof(values[0]))];
	return 0;
}

/* Literals are known before anything is counted. */
static int known(enum xp_formula_use use, const char *name, double *ret_value, struct xp_diag *diag,
		 void *data)
{
	return use == XP_FORMULA_VALUE ? -ENODATA : value_of(use, name, ret_value, diag, data);
}

static int count(enum xp_formula_use use, const char *name, void *data)
{
	(void)use;
	assert(name[0]);
	++*(int *)data;
	return 0;
}

static void check_formula(const struct xp_formula *formula)
{
	struct xp_diag diag = { 0 };
	double value = NAN, again = NAN;
	int nr_all = 0, nr_needed = 0;
	int err = xp_formula_eval(formula, value_of, &value, &diag, NULL);

	assert(err <= 0);
	if (err)
		check_diag(&diag, err);
	else
		assert(isfinite(value) && (value != 0 || !signbit(value)));
	assert(xp_formula_eval(formula, value_of, &again, NULL, NULL) == err);
	assert(err || value == again);
	assert(!xp_formula_walk(formula, NULL, count, &nr_all));
	assert(!xp_formula_walk(formula, known, count, &nr_needed));
	assert(nr_needed <= nr_all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct xp_diag diag = { 0 };
	struct xp_formula *formula;

	memcpy(text, data, size);
	text[size] = '\0';
	int err = xp_formula_parse(text, &formula, &diag);
	if (err) {
		check_diag(&diag, err);
	} else {
		check_formula(formula);
		xp_formula_free(formula);
	}
	free(text);
	return 0;
}
