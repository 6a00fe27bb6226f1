/* SPDX-License-Identifier: MIT */
/* The inside of a formula: nodes in an array, operands before what they are operands of. */
#ifndef METRIC_FORMULA_IMPL_H
#define METRIC_FORMULA_IMPL_H

#include <xperf/formula.h>

/* Evaluation recurses along the nodes, parsing along what is nested: both are bounded. */
enum { FORMULA_NODES_MAX = 1000, FORMULA_DEPTH_MAX = 100, FORMULA_NAME_MAX = 200 };

enum formula_op {
	OP_NUMBER,
	OP_NAME,
	OP_NEGATE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_LESS,
	OP_GREATER,
	OP_AND,
	OP_XOR,
	OP_OR,
	OP_MIN,
	OP_MAX,
	OP_RATIO,
	OP_IF, /* operands: what to choose if true, if false; the condition */
};

struct formula_node {
	enum formula_op op;
	enum xp_formula_use use; /* of a name */
	int operands[3];         /* positions of nodes */
	int pos, len;            /* of the operator, or of the name, in the text */
	double number;
	char *name;
};

struct xp_formula {
	char *text;
	int nr;
	int root;
	struct formula_node *nodes;
};

/* Records where in the formula a failure is; of a long one, only what is around it. */
void xp_formula_diag_at(struct xp_diag *diag, const char *text, int pos, int len);

#endif
