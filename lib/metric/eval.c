/* SPDX-License-Identifier: MIT */
/* The value of a formula, or why there is none; and which names it needs. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <xperf/diag.h>

#include "formula-impl.h"

struct evaluation {
	const struct xp_formula *formula;
	xp_formula_fn fn;
	void *data;
	struct xp_diag *diag;
};

static int no_value(const struct evaluation *e, const struct formula_node *node, const char *why)
{
	xp_diag_set(e->diag, -EDOM, "%s", why);
	xp_formula_diag_at(e->diag, e->formula->text, node->pos, node->len);
	return -EDOM;
}

/* The failure of @fn is about this name. */
static int name_value(const struct evaluation *e, const struct formula_node *node,
		      double *ret_value)
{
	int err = e->fn ? e->fn(node->use, node->name, ret_value, e->diag, e->data) : -ENODATA;

	if (!err && !isfinite(*ret_value))
		return no_value(e, node, "This is not a finite number");
	if (!err)
		return 0;
	if (e->diag && !e->diag->err)
		xp_diag_set(e->diag, err, "'%s' has no value", node->name);
	xp_formula_diag_at(e->diag, e->formula->text, node->pos, node->len);
	return err;
}

/* Operations on integers: what does not fit into 64 bits has no result. */
static int integers(const struct evaluation *e, const struct formula_node *node, double a, double b,
		    double *ret_value)
{
	const double limit = 9223372036854775808.0; /* 2^63 */
	int64_t x, y;

	if (!(fabs(a) < limit && fabs(b) < limit))
		return no_value(e, node, "A number is too large for this operator");
	x = (int64_t)a;
	y = (int64_t)b;
	switch (node->op) {
	case OP_MODULO:
		if (!y)
			return no_value(e, node, "Division by zero");
		*ret_value = (double)(x % y);
		break;
	case OP_AND:
		*ret_value = (double)(x & y);
		break;
	case OP_OR:
		*ret_value = (double)(x | y);
		break;
	default:
		*ret_value = (double)(x ^ y);
	}
	return 0;
}

static int combine(const struct evaluation *e, const struct formula_node *node, double a, double b,
		   double *ret_value)
{
	switch (node->op) {
	case OP_ADD:
		*ret_value = a + b;
		break;
	case OP_SUBTRACT:
		*ret_value = a - b;
		break;
	case OP_MULTIPLY:
		*ret_value = a * b;
		break;
	case OP_DIVIDE:
		if (b == 0)
			return no_value(e, node, "Division by zero");
		*ret_value = a / b;
		break;
	case OP_RATIO:
		*ret_value = b == 0 ? 0 : a / b;
		break;
	case OP_LESS:
		*ret_value = a < b;
		break;
	case OP_GREATER:
		*ret_value = a > b;
		break;
	case OP_MIN:
		*ret_value = a < b ? a : b;
		break;
	case OP_MAX:
		*ret_value = a > b ? a : b;
		break;
	default:
		return integers(e, node, a, b, ret_value);
	}
	return isfinite(*ret_value) ? 0 : no_value(e, node, "The result is too large for a number");
}

static int value_of(const struct evaluation *e, int at, double *ret_value)
{
	const struct formula_node *node = &e->formula->nodes[at];
	double a, b;
	int err;

	switch (node->op) {
	case OP_NUMBER:
		*ret_value = node->number;
		return 0;
	case OP_NAME:
		return name_value(e, node, ret_value);
	case OP_NEGATE:
		err = value_of(e, node->operands[0], ret_value);
		*ret_value = err ? 0 : -*ret_value;
		return err;
	case OP_IF:
		err = value_of(e, node->operands[2], &a);
		return err ? err : value_of(e, node->operands[a != 0 ? 0 : 1], ret_value);
	default:
		err = value_of(e, node->operands[0], &a);
		if (!err)
			err = value_of(e, node->operands[1], &b);
		return err ? err : combine(e, node, a, b, ret_value);
	}
}

int xp_formula_eval(const struct xp_formula *formula, xp_formula_fn fn, double *ret_value,
		    struct xp_diag *diag, void *data)
{
	const struct evaluation e = { formula, fn, data, diag };
	double value;
	int err;

	if (diag)
		diag->err = 0;
	err = value_of(&e, formula->root, &value);
	if (!err)
		*ret_value = value == 0 ? 0 : value; /* no -0 */
	return err;
}

struct walk {
	struct evaluation known;
	int (*fn)(enum xp_formula_use use, const char *name, void *data);
	void *data;
};

static int nr_operands(enum formula_op op)
{
	switch (op) {
	case OP_NUMBER:
	case OP_NAME:
		return 0;
	case OP_NEGATE:
		return 1;
	case OP_IF:
		return 3;
	default:
		return 2;
	}
}

static int walk_from(const struct walk *w, int at)
{
	const struct formula_node *node = &w->known.formula->nodes[at];
	int nr = nr_operands(node->op);
	double condition;
	int err = 0;

	if (node->op == OP_NAME)
		return w->fn(node->use, node->name, w->data);
	if (node->op == OP_IF && !value_of(&w->known, node->operands[2], &condition))
		return walk_from(w, node->operands[condition != 0 ? 0 : 1]);
	for (int i = 0; i < nr && !err; i++)
		err = walk_from(w, node->operands[i]);
	return err;
}

int xp_formula_walk(const struct xp_formula *formula, xp_formula_fn known,
		    int (*fn)(enum xp_formula_use use, const char *name, void *data), void *data)
{
	const struct walk w = { { formula, known, data, NULL }, fn, data };

	return walk_from(&w, formula->root);
}
