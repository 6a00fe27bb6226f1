/* SPDX-License-Identifier: MIT */
/* Formulas over counts: parsed once, evaluated for each row. */
#ifndef XPERF_FORMULA_H
#define XPERF_FORMULA_H

#include <xperf/api.h>

struct xp_diag;

XP_BEGIN_DECLS

/** struct xp_formula - a formula, such as "instructions / cycles" */
struct xp_formula;

/** enum xp_formula_use - what a name in a formula stands for */
enum xp_formula_use {
	XP_FORMULA_VALUE,        /* an event or metric: its value */
	XP_FORMULA_LITERAL,      /* "#num_cpus": a value of the machine */
	XP_FORMULA_HAS_EVENT,    /* "has_event(NAME)": 1 if there is such an event, else 0 */
	XP_FORMULA_SOURCE_COUNT, /* "source_count(NAME)": PMUs that count the event */
};

/**
 * xp_formula_fn - gives the value of a name
 * @name:      as in event strings: "L1-dcache-loads" for "L1\-dcache\-loads", "#num_cpus"
 * @ret_value: set on success
 * @diag:      on failure, why there is no value: a clause that begins with a capital
 *
 * Returns 0, or a negative errno: there is no value.
 */
typedef int (*xp_formula_fn)(enum xp_formula_use use, const char *name, double *ret_value,
			     struct xp_diag *diag, void *data);

/**
 * xp_formula_parse - parse a formula
 * @diag: on failure, what is wrong and where; may be NULL
 *
 * Operators, the weakest first: "a if c else b", "|", "^", "&", "<" and ">", "+" and "-", "*", "/"
 * and "%", "-x"; parentheses; min(a, b), max(a, b), d_ratio(a, b), has_event(e), source_count(e).
 * In names, "@" stands for "/", and "\" precedes a "-", "," or "=" that belongs to the name.
 *
 * Returns 0, -EINVAL (@text is no formula), -E2BIG (it is too long or nested too deeply), -ENOMEM.
 *
 * Source: the formulas in "perf list --details" of perf 6.1.
 */
XP_API int xp_formula_parse(const char *text, struct xp_formula **ret_formula,
			    struct xp_diag *diag);
/**
 * xp_formula_free - free a formula; may be NULL
 */
XP_API void xp_formula_free(struct xp_formula *formula);

/**
 * xp_formula_eval - compute the value of a formula
 * @diag: on failure, why there is no value, and where in the formula; may be NULL
 *
 * What is not needed is not computed: the branch of "if" that is not chosen may have no value.
 * "&", "|", "^" and "%" are operations on integers; fractions are cut.
 *
 * Returns 0 with a finite number, or
 *   -EDOM    division by zero, or a number that is no longer finite, or no integer
 *   other negative errno: what @fn returned
 */
XP_API int xp_formula_eval(const struct xp_formula *formula, xp_formula_fn fn, double *ret_value,
			   struct xp_diag *diag, void *data);

/**
 * xp_formula_walk - go through the names whose values are needed
 * @known: gives the values that are known before anything is counted; it fails for others. Branches
 *         of "if" that are known not to be chosen are left out. NULL: nothing is known
 * @fn:    called for each name, and each time it is there. Other results than 0 end the walk
 *
 * Returns 0, or what @fn returned.
 */
XP_API int xp_formula_walk(const struct xp_formula *formula, xp_formula_fn known,
			   int (*fn)(enum xp_formula_use use, const char *name, void *data),
			   void *data);

XP_END_DECLS

#endif
