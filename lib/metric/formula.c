/* SPDX-License-Identifier: MIT */
/* From words to nodes: a formula is parsed by the strength of its operators. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "lexer.h"
#include "vec.h"

struct parser {
	struct lexer lexer;
	struct xp_formula *formula;
	struct xp_diag *diag;
	int depth;
};

/* The weakest first; equal ones from left to right. */
static const struct {
	char sign;
	int strength;
	enum formula_op op;
} operators[] = {
	{ '|', 1, OP_OR },       { '^', 2, OP_XOR },      { '&', 3, OP_AND },
	{ '<', 4, OP_LESS },     { '>', 4, OP_GREATER },  { '+', 5, OP_ADD },
	{ '-', 5, OP_SUBTRACT }, { '*', 6, OP_MULTIPLY }, { '/', 6, OP_DIVIDE },
	{ '%', 6, OP_MODULO },
};

void xp_formula_diag_at(struct xp_diag *diag, const char *text, int pos, int len)
{
	enum { AROUND = 150 };
	char part[2 * AROUND + 1];
	int first = pos > AROUND ? pos - AROUND : 0;
	int nr = (int)strnlen(text + first, sizeof(part) - 1);

	memcpy(part, text + first, (size_t)nr);
	part[nr] = '\0';
	for (int i = 0; i < nr; i++)
		if ((unsigned char)part[i] < ' ' || part[i] == '\x7f')
			part[i] = ' ';
	if (pos - first + len > nr)
		len = nr - (pos - first);
	xp_diag_at(diag, part, pos - first, len);
}

static int wrong(const struct parser *p, int err, const char *what)
{
	xp_diag_set(p->diag, err, "%s", what);
	xp_formula_diag_at(p->diag, p->lexer.text, p->lexer.pos, p->lexer.len);
	return err;
}

static int next(struct parser *p)
{
	return xp_formula_next(&p->lexer, p->diag);
}

static bool is_sign(const struct parser *p, char sign)
{
	return p->lexer.token == TOKEN_SIGN && p->lexer.sign == sign;
}

static bool is_keyword(const struct parser *p, enum keyword keyword)
{
	return p->lexer.token == TOKEN_KEYWORD && p->lexer.keyword == keyword;
}

/* Parses one sign that has to be there. */
static int expect(struct parser *p, char sign)
{
	char what[40];

	if (is_sign(p, sign))
		return next(p);
	snprintf(what, sizeof(what), "'%c' is missing here", sign);
	return wrong(p, -EINVAL, what);
}

/* Appends a node; its position, or a negative errno. A name is copied. */
static int add(struct parser *p, const struct formula_node *node)
{
	struct xp_formula *formula = p->formula;
	struct formula_node copy = *node;

	if (formula->nr == FORMULA_NODES_MAX)
		return wrong(p, -E2BIG, "the formula is too long");
	if (node->name)
		copy.name = strdup(node->name);
	if ((node->name && !copy.name) ||
	    vec_add(&formula->nodes, (size_t)formula->nr, sizeof(copy))) {
		free(copy.name);
		return xp_diag_set(p->diag, -ENOMEM, "Out of memory");
	}
	formula->nodes[formula->nr] = copy;
	return formula->nr++;
}

static int parse_choice(struct parser *p);

/* "(a, b)" */
static int parse_pair(struct parser *p, struct formula_node *node)
{
	int err = next(p) ?: expect(p, '(');

	if (err)
		return err;
	node->operands[0] = parse_choice(p);
	if (node->operands[0] < 0)
		return node->operands[0];
	err = expect(p, ',');
	if (err)
		return err;
	node->operands[1] = parse_choice(p);
	err = node->operands[1] < 0 ? node->operands[1] : expect(p, ')');
	return err ? err : add(p, node);
}

/* "(name)" */
static int parse_query(struct parser *p, enum xp_formula_use use)
{
	struct formula_node node = { .op = OP_NAME, .use = use };
	char name[FORMULA_NAME_MAX + 1];
	int err = next(p) ?: expect(p, '(');

	if (err)
		return err;
	if (p->lexer.token != TOKEN_NAME)
		return wrong(p, -EINVAL, "the name of an event is missing here");
	strcpy(name, p->lexer.name);
	node.name = name;
	node.pos = p->lexer.pos;
	node.len = p->lexer.len;
	err = next(p) ?: expect(p, ')');
	return err ? err : add(p, &node);
}

static int parse_word(struct parser *p)
{
	struct formula_node node = { .pos = p->lexer.pos, .len = p->lexer.len };

	switch (p->lexer.keyword) {
	case WORD_MIN:
		node.op = OP_MIN;
		return parse_pair(p, &node);
	case WORD_MAX:
		node.op = OP_MAX;
		return parse_pair(p, &node);
	case WORD_RATIO:
		node.op = OP_RATIO;
		return parse_pair(p, &node);
	case WORD_HAS:
		return parse_query(p, XP_FORMULA_HAS_EVENT);
	case WORD_SOURCES:
		return parse_query(p, XP_FORMULA_SOURCE_COUNT);
	default:
		return wrong(p, -EINVAL, "a value is missing before this");
	}
}

/* A number, a name or a literal. */
static int parse_leaf(struct parser *p)
{
	bool is_number = p->lexer.token == TOKEN_NUMBER;
	struct formula_node node = {
		.op = is_number ? OP_NUMBER : OP_NAME,
		.use = p->lexer.token == TOKEN_LITERAL ? XP_FORMULA_LITERAL : XP_FORMULA_VALUE,
		.pos = p->lexer.pos,
		.len = p->lexer.len,
		.number = p->lexer.number,
		.name = is_number ? NULL : p->lexer.name,
	};
	int at = add(p, &node);

	return at < 0 ? at : next(p) ?: at;
}

static int parse_operand(struct parser *p);

static int parse_negative(struct parser *p)
{
	struct formula_node node = { .op = OP_NEGATE, .pos = p->lexer.pos, .len = 1 };
	int err = next(p);

	if (err)
		return err;
	node.operands[0] = parse_operand(p);
	return node.operands[0] < 0 ? node.operands[0] : add(p, &node);
}

static int parse_nested(struct parser *p)
{
	int err = next(p), at;

	if (err)
		return err;
	at = parse_choice(p);
	return at < 0 ? at : expect(p, ')') ?: at;
}

static int parse_unbounded(struct parser *p)
{
	switch (p->lexer.token) {
	case TOKEN_END:
		return wrong(p, -EINVAL, "a value is missing at the end");
	case TOKEN_KEYWORD:
		return parse_word(p);
	case TOKEN_SIGN:
		if (p->lexer.sign == '(')
			return parse_nested(p);
		if (p->lexer.sign == '-')
			return parse_negative(p);
		return wrong(p, -EINVAL, "a value is expected here");
	default:
		return parse_leaf(p);
	}
}

static int parse_operand(struct parser *p)
{
	int at;

	if (p->depth == FORMULA_DEPTH_MAX)
		return wrong(p, -E2BIG, "the formula is nested too deeply");
	p->depth++;
	at = parse_unbounded(p);
	p->depth--;
	return at;
}

/* The row of the operator here; -1: there is none that is strong enough. */
static int operator_here(const struct parser *p, int strength)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(operators); i++)
		if (is_sign(p, operators[i].sign) && operators[i].strength >= strength)
			return (int)i;
	return -1;
}

/* Operands and operators of at least this strength. */
static int parse_operation(struct parser *p, int strength)
{
	int left = parse_operand(p);
	int row;

	while (left >= 0 && (row = operator_here(p, strength)) >= 0) {
		struct formula_node node = {
			.op = operators[row].op, .pos = p->lexer.pos, .len = 1, .operands = { left }
		};
		int err = next(p);

		if (err)
			return err;
		node.operands[1] = parse_operation(p, operators[row].strength + 1);
		if (node.operands[1] < 0)
			return node.operands[1];
		left = add(p, &node);
	}
	return left;
}

static int parse_else(struct parser *p, struct formula_node *node)
{
	int err = next(p);

	if (err)
		return err;
	node->operands[2] = parse_operation(p, 0);
	if (node->operands[2] < 0)
		return node->operands[2];
	if (!is_keyword(p, WORD_ELSE))
		return wrong(p, -EINVAL, "'else' is missing here");
	err = next(p);
	if (err)
		return err;
	node->operands[1] = parse_choice(p);
	return node->operands[1] < 0 ? node->operands[1] : add(p, node);
}

/* "a", "a if c else b", "a if c else b if d else e" */
static int parse_choice(struct parser *p)
{
	struct formula_node node = { .op = OP_IF };
	int at;

	if (p->depth == FORMULA_DEPTH_MAX)
		return wrong(p, -E2BIG, "the formula is nested too deeply");
	p->depth++;
	at = parse_operation(p, 0);
	if (at >= 0 && is_keyword(p, WORD_IF)) {
		node.pos = p->lexer.pos;
		node.len = p->lexer.len;
		node.operands[0] = at;
		at = parse_else(p, &node);
	}
	p->depth--;
	return at;
}

static int parse_all(struct parser *p)
{
	int err = next(p);

	if (err)
		return err;
	p->formula->root = parse_choice(p);
	if (p->formula->root < 0)
		return p->formula->root;
	return p->lexer.token == TOKEN_END ? 0 : wrong(p, -EINVAL, "an operator is expected here");
}

int xp_formula_parse(const char *text, struct xp_formula **ret_formula, struct xp_diag *diag)
{
	enum { TEXT_MAX = 100000 };
	struct parser p = { .diag = diag };
	int err;

	if (strnlen(text, TEXT_MAX) == TEXT_MAX)
		return xp_diag_set(diag, -E2BIG, "The formula is too long");
	p.formula = calloc(1, sizeof(*p.formula));
	if (p.formula)
		p.formula->text = strdup(text);
	if (!p.formula || !p.formula->text) {
		xp_formula_free(p.formula);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	p.lexer.text = p.formula->text;
	err = parse_all(&p);
	if (err) {
		xp_formula_free(p.formula);
		return err;
	}
	*ret_formula = p.formula;
	return 0;
}

void xp_formula_free(struct xp_formula *formula)
{
	if (!formula)
		return;
	for (int i = 0; i < formula->nr; i++)
		free(formula->nodes[i].name);
	free(formula->nodes);
	free(formula->text);
	free(formula);
}
