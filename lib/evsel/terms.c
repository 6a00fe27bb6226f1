/* SPDX-License-Identifier: MIT */
/*
 * What stands between the slashes: PMU/event=0x3c,umask=1,name=mine/. Terms apply in the order
 * they are written; an alias stands for the terms in its file.
 *
 * Source: perf-list(1), "PARAMETERIZED EVENTS" and "EVENT MODIFIERS", perf 6.1.
 */
#include "resolver.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "grammar.h"
#include "names.h"
#include "num.h"
#include "pmu.h"

enum term_kind {
	NUMBER,   /* into the attribute */
	NAME,     /* how the event is shown */
	SAMPLING, /* accepted; says nothing about counting */
};

/* Terms that every event has. */
static const struct term {
	const char *name;
	enum term_kind kind;
	size_t offset;
} general_terms[] = {
	{ "config", NUMBER, offsetof(struct xp_attr, config) },
	{ "config1", NUMBER, offsetof(struct xp_attr, config1) },
	{ "config2", NUMBER, offsetof(struct xp_attr, config2) },
	{ "config3", NUMBER, offsetof(struct xp_attr, config3) },
	{ "name", NAME, 0 },
	{ "period", SAMPLING, 0 },
	{ "freq", SAMPLING, 0 },
	{ "branch_type", SAMPLING, 0 },
	{ "time", SAMPLING, 0 },
	{ "call-graph", SAMPLING, 0 },
	{ "stack-size", SAMPLING, 0 },
	{ "max-stack", SAMPLING, 0 },
	{ "nr", SAMPLING, 0 },
	{ "overwrite", SAMPLING, 0 },
	{ "no-overwrite", SAMPLING, 0 },
};

/* What a list of terms applies to. */
struct target {
	struct xp_resolver *r;
	const struct xp_source *source;
	const char *pmu; /* NULL: general terms only */
	struct xp_attr *attr;
	struct xp_span name; /* absent: none given */
	bool in_alias;       /* aliases do not stand for aliases */
};

static const struct term *find_general(struct xp_span name)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(general_terms); i++)
		if (xp_span_equals(name, general_terms[i].name))
			return &general_terms[i];
	return NULL;
}

/* A term without a value is switched on. Returns 0, or why the value is no number. */
static int number_of(const struct xp_ast_term *term, uint64_t *ret_value)
{
	*ret_value = 1;
	return term->value.at ? xp_num_parse(term->value.at, term->value.len, 0, ret_value) : 0;
}

static int no_number(const struct target *t, const struct xp_ast_term *term, int err)
{
	return xp_source_error(t->source, -EINVAL, term->value,
			       err == -ERANGE ? "the value of '%.*s' has more than 64 bits"
					      : "the value of '%.*s' is not a number",
			       XP_SPAN_ARGS(term->name));
}

static int apply_general(struct target *t, const struct term *general,
			 const struct xp_ast_term *term)
{
	uint64_t value;
	int err;

	switch (general->kind) {
	case NUMBER:
		err = number_of(term, &value);
		if (err)
			return no_number(t, term, err);
		*(uint64_t *)((char *)t->attr + general->offset) = value;
		return 0;
	case NAME:
		if (!term->value.len)
			return xp_source_error(t->source, -EINVAL, term->name,
					       "a name is missing, as in name=mine");
		t->name = term->value;
		return 0;
	case SAMPLING:
		return 0;
	}
	return 0;
}

static int unknown_term(const struct target *t, struct xp_span name)
{
	/* What an alias's file says is not the user's to spell. */
	int err = t->in_alias ? -EINVAL : -ENOENT;
	struct xp_names names = { 0 };

	if (t->pmu) {
		xp_source_error(t->source, err, name, "the PMU '%s' has no term '%.*s'", t->pmu,
				XP_SPAN_ARGS(name));
		xp_pmu_terms_list(t->r->ctx, t->pmu, &names);
	} else {
		xp_source_error(t->source, err, name, "there is no term '%.*s'",
				XP_SPAN_ARGS(name));
	}
	for (size_t i = 0; i < XP_ARRAY_LEN(general_terms); i++)
		xp_names_add(&names, general_terms[i].name);
	xp_source_suggest_from(t->source, name, &names, "It has");
	xp_names_fini(&names);
	return err;
}

/* Returns -ENOENT without a complaint if the PMU has no such format. */
static int apply_format(struct target *t, const struct xp_ast_term *term)
{
	uint64_t value = 0;
	int bad = number_of(term, &value);
	int err = xp_pmu_format_write(t->r->ctx, t->pmu, term->name, value, t->attr);

	if (!err || err == -ENOENT)
		return bad && !err ? no_number(t, term, bad) : err;
	if (err == -ERANGE)
		return xp_source_error(t->source, -EINVAL,
				       term->value.at ? term->value : term->name,
				       "the value is too large for '%.*s' of the PMU '%s'",
				       XP_SPAN_ARGS(term->name), t->pmu);
	return xp_source_error(t->source, -EINVAL, term->name,
			       "the format of '%.*s' of the PMU '%s' is not understood",
			       XP_SPAN_ARGS(term->name), t->pmu);
}

/* "r1a8": the config as such. */
static bool is_raw(const struct xp_ast_term *term, uint64_t *ret_config)
{
	return !term->value.at && *term->name.at == 'r' &&
	       !xp_num_parse(term->name.at + 1, term->name.len - 1, 16, ret_config);
}

static int apply_term(struct target *t, const struct xp_ast_term *term)
{
	const struct term *general = find_general(term->name);
	uint64_t raw;

	if (general)
		return apply_general(t, general, term);
	if (t->pmu && !t->in_alias && !term->value.at) {
		int err = xp_terms_apply_alias(t->r, t->pmu, term->name, t->attr);
		if (err != -ENOENT)
			return err;
	}
	if (t->pmu) {
		int err = apply_format(t, term);
		if (err != -ENOENT)
			return err;
	}
	if (is_raw(term, &raw)) {
		t->attr->config = raw;
		return 0;
	}
	return unknown_term(t, term->name);
}

static int apply_all(struct target *t, const struct xp_ast *ast, int first, int nr)
{
	int err = 0;

	for (int i = 0; !err && i < nr; i++)
		err = apply_term(t, &ast->terms[first + i]);
	return err;
}

int xp_terms_apply_alias(struct xp_resolver *r, const char *pmu, struct xp_span alias,
			 struct xp_attr *attr)
{
	struct xp_source source = r->source;
	struct xp_ast ast = { 0 };
	struct target t = { .r = r, .source = &source, .pmu = pmu, .attr = attr, .in_alias = true };
	xp_auto_free char *text = NULL;
	int err = xp_pmu_alias_read(r->ctx, pmu, alias, &text);

	if (err)
		return err;
	source.blame = alias;
	err = xp_grammar_parse_terms(&source, text, &ast);
	if (!err)
		err = apply_all(&t, &ast, 0, ast.nr_terms);
	xp_ast_fini(&ast);
	return err;
}

int xp_terms_apply(struct xp_resolver *r, const struct xp_ast_event *ast, const char *pmu,
		   struct xp_attr *attr, struct xp_span *ret_name)
{
	struct target t = { .r = r, .source = &r->source, .pmu = pmu, .attr = attr };
	int err = apply_all(&t, r->ast, ast->first_term, ast->nr_terms);

	if (!err)
		*ret_name = t.name;
	return err;
}
