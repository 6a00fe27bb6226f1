/* SPDX-License-Identifier: MIT */
/*
 * The terms every event can have besides config and name: one row each, with what its value may be.
 * Source: perf-record(1), perf-list(1);
 * the largest stack: Documentation of XP_SAMPLE_STACK_USER there (16 bits, a multiple of 8).
 */
#include "common-terms.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>

#include "branch-words.h"
#include "cleanup.h"
#include "cpus.h"
#include "names.h"
#include "num.h"
#include "pmus.h"
#include "uapi.h"

enum value_kind {
	NUMBER,   /* uint64_t */
	NUMBER32, /* uint32_t */
	FLAG,     /* bool: alone, =1 or =0 */
	CHOICE,   /* enum xp_choice: likewise */
	UNCHOICE, /* enum xp_choice, the other way round */
	WORD,     /* an enum, by the row's words */
	BRANCHES,
	CPUS,
	RATIO, /* double, larger than 0 */
};

static const struct xp_word call_graphs[] = {
	{ "no", XP_CALL_GRAPH_NO },
	{ "fp", XP_CALL_GRAPH_FP },
	{ "dwarf", XP_CALL_GRAPH_DWARF },
	{ "lbr", XP_CALL_GRAPH_LBR },
	{ 0 },
};

static const struct xp_word aux_actions[] = {
	{ "start-paused", XP_AUX_START_PAUSED },
	{ "pause", XP_AUX_PAUSE },
	{ "resume", XP_AUX_RESUME },
	{ 0 },
};

enum { STACK_BYTES_MAX = 65528 };

static const struct row {
	const char *name;
	enum value_kind kind;
	size_t offset;
	uint64_t max; /* of a number */
	const struct xp_word *words;
} rows[] = {
#define AT(field) offsetof(struct xp_event_terms, field)
	{ "period", NUMBER, AT(period), INT64_MAX, NULL },
	{ "freq", NUMBER, AT(freq), INT64_MAX, NULL },
	{ "call-graph", WORD, AT(call_graph), 0, call_graphs },
	{ "stack-size", NUMBER32, AT(stack_bytes), STACK_BYTES_MAX, NULL },
	{ "max-stack", NUMBER32, AT(max_stack), UINT16_MAX, NULL },
	{ "nr", NUMBER, AT(nr_events), UINT64_MAX, NULL },
	{ "branch_type", BRANCHES, AT(branch_type), 0, xp_branch_words },
	{ "time", CHOICE, AT(time), 0, NULL },
	{ "inherit", CHOICE, AT(inherit), 0, NULL },
	{ "no-inherit", UNCHOICE, AT(inherit), 0, NULL },
	{ "overwrite", CHOICE, AT(overwrite), 0, NULL },
	{ "no-overwrite", UNCHOICE, AT(overwrite), 0, NULL },
	{ "percore", FLAG, AT(percore), 0, NULL },
	{ "aux-output", FLAG, AT(aux_output), 0, NULL },
	{ "aux-sample-size", NUMBER32, AT(aux_sample_bytes), UINT16_MAX, NULL },
	{ "aux-action", WORD, AT(aux_action), 0, aux_actions },
	{ "cpu", CPUS, AT(cpus), 0, NULL },
	{ "ratio-to-prev", RATIO, AT(ratio_to_prev), 0, NULL },
#undef AT
};

struct parsing {
	struct xp_ctx *ctx;
	const struct xp_source *source;
	struct xp_event_terms *terms;
};

static const struct row *find_row(struct xp_span name)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(rows); i++)
		if (xp_span_equals(name, rows[i].name))
			return &rows[i];
	return NULL;
}

bool xp_event_term_exists(struct xp_span name)
{
	return find_row(name);
}

void xp_event_terms_list(struct xp_names *names)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(rows); i++)
		xp_names_add(names, rows[i].name);
}

static int no_value(const struct parsing *t, const struct xp_ast_term *term)
{
	return xp_source_error(t->source, -EINVAL, term->name,
			       "a value is missing after '%.*s', as in %.*s=%s",
			       XP_SPAN_ARGS(term->name), XP_SPAN_ARGS(term->name),
			       xp_span_equals(term->name, "call-graph") ? "fp" : "1");
}

static int parse_number(const struct parsing *t, const struct row *row,
			const struct xp_ast_term *term, void *into)
{
	uint64_t value;

	if (!term->value.at)
		return no_value(t, term);
	int err = xp_num_parse(term->value.at, term->value.len, 0, &value);
	if (err == -EINVAL)
		return xp_source_error(t->source, err, term->value,
				       "the value of '%s' is not a number", row->name);
	if (err || value > row->max)
		return xp_source_error(t->source, -EINVAL, term->value,
				       "the value of '%s' must be at most %llu", row->name,
				       (unsigned long long)row->max);
	if (row->max == STACK_BYTES_MAX && value % 8)
		return xp_source_error(t->source, -EINVAL, term->value,
				       "the value of '%s' must be a multiple of 8", row->name);
	if (row->kind == NUMBER32)
		*(uint32_t *)into = (uint32_t)value;
	else
		*(uint64_t *)into = value;
	return 0;
}

static int parse_flag(const struct parsing *t, const struct row *row,
		      const struct xp_ast_term *term, void *into)
{
	uint64_t on = 1;

	if (term->value.at && (xp_num_parse(term->value.at, term->value.len, 0, &on) || on > 1))
		return xp_source_error(t->source, -EINVAL, term->value,
				       "the value of '%s' must be 0 or 1", row->name);
	if (row->kind == FLAG)
		*(bool *)into = on;
	else
		*(enum xp_choice *)into = (on != 0) == (row->kind == CHOICE) ? XP_YES : XP_NO;
	return 0;
}

static const struct xp_word *find_word(const struct xp_word *words, struct xp_span text)
{
	for (; words->text; words++)
		if (xp_span_equals(text, words->text))
			return words;
	return NULL;
}

static int no_word(const struct parsing *t, const struct row *row, struct xp_span value)
{
	struct xp_names names = { 0 };

	xp_source_error(t->source, -EINVAL, value, "'%s' cannot be '%.*s'", row->name,
			XP_SPAN_ARGS(value));
	for (const struct xp_word *word = row->words; word->text; word++)
		xp_names_add(&names, word->text);
	xp_source_suggest_from(t->source, value, &names, "It can be");
	xp_names_fini(&names);
	return -EINVAL;
}

static int parse_word(const struct parsing *t, const struct row *row,
		      const struct xp_ast_term *term, void *into)
{
	if (!term->value.at)
		return no_value(t, term);
	const struct xp_word *word = find_word(row->words, term->value);
	if (!word)
		return no_word(t, row, term->value);
	*(unsigned int *)into = (unsigned int)word->value;
	return 0;
}

/* Several filters, separated by '|' or, in quotes, by ','. */
static int parse_branches(const struct parsing *t, const struct row *row,
			  const struct xp_ast_term *term, void *into)
{
	const char *at = term->value.at;
	uint64_t mask = 0;

	if (!at)
		return no_value(t, term);
	const char *end = at + term->value.len;
	for (;;) {
		struct xp_span filter = { at, 0 };

		while (at + filter.len < end && at[filter.len] != '|' && at[filter.len] != ',')
			filter.len++;
		const struct xp_word *word = find_word(row->words, filter);
		if (!word)
			return no_word(t, row, filter);
		mask |= word->value;
		at += filter.len;
		if (at++ == end)
			break;
	}
	*(uint64_t *)into = mask;
	return 0;
}

/* A CPU, a range, or a PMU: its CPUs. Given again, it adds to what was given. */
static int parse_cpus(const struct parsing *t, const struct row *row,
		      const struct xp_ast_term *term, void *into)
{
	struct xp_cpus **cpus = into;
	struct xp_cpus *more = NULL;

	(void)row;
	if (!term->value.at)
		return no_value(t, term);
	const struct xp_pmu *pmu = xp_pmus_find(t->ctx, term->value.at, term->value.len);
	xp_auto_free char *text = strndup(term->value.at, term->value.len);
	if (!text)
		return -ENOMEM;
	if (pmu && pmu->cpus)
		more = xp_cpus_ref(pmu->cpus);
	else if (xp_cpus_parse(text, &more, NULL))
		return xp_source_error(t->source, -EINVAL, term->value,
				       "'%.*s' is neither a CPU, nor a range of CPUs, nor a PMU",
				       XP_SPAN_ARGS(term->value));
	if (*cpus) {
		struct xp_cpus *joined = xp_cpus_join(*cpus, more);

		xp_cpus_unref(*cpus);
		xp_cpus_unref(more);
		more = joined;
	}
	*cpus = more;
	return more ? 0 : -ENOMEM;
}

static int parse_ratio(const struct parsing *t, const struct row *row,
		       const struct xp_ast_term *term, void *into)
{
	if (!term->value.at)
		return no_value(t, term);
	xp_auto_free char *text = strndup(term->value.at, term->value.len);
	char *end;
	if (!text)
		return -ENOMEM;
	double ratio = strtod(text, &end);
	if (*end || strspn(text, "0123456789.") != term->value.len || !(ratio > 0) ||
	    ratio > (double)UINT32_MAX)
		return xp_source_error(t->source, -EINVAL, term->value,
				       "the value of '%s' must be a number above 0, such as 0.5",
				       row->name);
	*(double *)into = ratio;
	return 0;
}

static int (*const parsers[])(const struct parsing *t, const struct row *row,
			      const struct xp_ast_term *term, void *into) = {
	[NUMBER] = parse_number,     [NUMBER32] = parse_number, [FLAG] = parse_flag,
	[CHOICE] = parse_flag,       [UNCHOICE] = parse_flag,   [WORD] = parse_word,
	[BRANCHES] = parse_branches, [CPUS] = parse_cpus,       [RATIO] = parse_ratio,
};

int xp_event_terms_parse(struct xp_ctx *ctx, const struct xp_source *source,
			 const struct xp_ast_term *terms, int nr, struct xp_event_terms *ret_terms)
{
	struct xp_event_terms parsed = { 0 };
	struct parsing t = { .ctx = ctx, .source = source, .terms = &parsed };
	int err = 0;

	for (int i = 0; !err && i < nr; i++) {
		const struct row *row = find_row(terms[i].name);

		if (row)
			err = parsers[row->kind](&t, row, &terms[i], (char *)&parsed + row->offset);
	}
	if (err)
		xp_event_terms_fini(&parsed);
	else
		*ret_terms = parsed;
	return err;
}
