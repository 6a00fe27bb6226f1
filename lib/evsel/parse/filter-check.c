/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with a filter, and where: the kernel itself says EINVAL, or less. What is doubtful
 * is left to the kernel.
 *
 * Source: Documentation/trace/events.rst, "Event filtering": conditions FIELD OPERATOR VALUE,
 * joined by && and ||, with ! and parentheses. What is accepted: measured, Linux 6.18.
 */
#include "filter-check.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>
#include <xperf/tracepoint.h>

#include "cleanup.h"
#include "filter.h"
#include "names.h"
#include "num.h"
#include "source.h"
#include "suggest.h"

/* What a field is compared with. */
enum value { ANY, SIGNED, UNSIGNED, STRING, FUNCTION };

/* What every tracepoint has: fields of the record, and what the kernel offers beside them. */
static const struct {
	const char *name;
	enum value value;
} common[] = {
	{ "common_pid", SIGNED },
	{ "common_type", UNSIGNED },
	{ "common_flags", UNSIGNED },
	{ "common_preempt_count", UNSIGNED },
	{ "common_cpu", ANY },
	{ "CPU", ANY },
	{ "cpu", ANY },
	{ "COMM", STRING },
	{ "comm", STRING },
	{ "common_comm", STRING },
	{ "STACKTRACE", ANY },
	{ "stacktrace", ANY },
	{ "common_stacktrace", ANY },
};

/* One filter being read. */
struct check {
	struct xp_ctx *ctx;
	struct xp_source source;
	const char *tracepoint;
	bool looked; /* for the format */
	struct xp_tracepoint *tp;
	const char *at;
	const char *open[64]; /* parentheses that are open */
	size_t nr_open;
};

/* One condition. */
struct condition {
	struct xp_span field;
	enum value value;
	struct xp_span op;
};

static bool is_number(const struct condition *condition)
{
	return condition->value == SIGNED || condition->value == UNSIGNED;
}

static int complain(const struct check *c, struct xp_span span, const char *what)
{
	return xp_source_error(&c->source, -EINVAL, span, "%s", what);
}

static struct xp_span here(const struct check *c, size_t len)
{
	return (struct xp_span){ c->at, len };
}

static void skip_blanks(struct check *c)
{
	while (isspace((unsigned char)*c->at))
		c->at++;
}

/* The letters, digits and '_' at @at. */
static size_t word_len(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

/* --- fields --- */

/* The record of a probe has the fields every tracepoint has, and no format in tracefs. */
static bool is_probe(const struct check *c)
{
	return c->tracepoint && !strchr(c->tracepoint, ':');
}

/* The format is read when a field is named that is not known without it. NULL: it cannot be had. */
static const struct xp_tracepoint *format_of(struct check *c)
{
	const char *colon = c->tracepoint ? strchr(c->tracepoint, ':') : NULL;

	if (c->looked || !colon)
		return c->tp;
	c->looked = true;
	xp_auto_free char *subsystem = strndup(c->tracepoint, (size_t)(colon - c->tracepoint));
	if (subsystem && xp_tracepoint_new(c->ctx, subsystem, colon + 1, &c->tp, NULL))
		c->tp = NULL;
	return c->tp;
}

static int unknown_field(const struct check *c, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	struct xp_names own = { 0 };

	xp_source_error(&c->source, -EINVAL, name, "%s has no field '%.*s'", c->tracepoint,
			XP_SPAN_ARGS(name));
	for (int i = 0; c->tp && i < c->tp->nr_fields; i++)
		if (!c->tp->fields[i].is_common)
			xp_names_add(&own, c->tp->fields[i].name);
	for (int i = 0; i < own.nr; i++)
		xp_suggest_offer(&suggest, own.at[i]);
	for (size_t i = 0; i < XP_ARRAY_LEN(common); i++)
		xp_suggest_offer(&suggest, common[i].name);
	if (suggest.best || !own.nr)
		xp_source_suggest(&c->source, &suggest,
				  "Its only fields are common_pid, comm and cpu");
	else
		xp_source_suggest_from(&c->source, name, &own, "Its fields");
	xp_names_fini(&own);
	return -EINVAL;
}

/* How an array of numbers is compared is the kernel's business. */
static enum value value_of(const struct xp_tracepoint_field *field)
{
	if (field->is_string)
		return STRING;
	if (field->is_array)
		return ANY;
	return field->is_signed ? SIGNED : UNSIGNED;
}

static bool find_common(struct condition *condition)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(common); i++)
		if (xp_span_equals(condition->field, common[i].name)) {
			condition->value = common[i].value;
			return true;
		}
	return false;
}

/* A tracepoint's own field hides a common one of its name, but for those called "common_". */
static int find_field(struct check *c, struct condition *condition)
{
	static const char prefix[] = "common_";
	struct xp_span name = condition->field;

	if (name.len >= strlen(prefix) && !memcmp(name.at, prefix, strlen(prefix)) &&
	    find_common(condition))
		return 0;
	const struct xp_tracepoint *tp = format_of(c);
	const struct xp_tracepoint_field *field =
		tp ? xp_tracepoint_field_find(tp, name.at, name.len) : NULL;
	if (field)
		condition->value = value_of(field);
	else if (!find_common(condition) && (tp || is_probe(c)))
		return unknown_field(c, name);
	return 0;
}

static int read_field(struct check *c, struct condition *condition)
{
	condition->field = here(c, word_len(c->at));
	if (!condition->field.len)
		return complain(c, here(c, 1), "the name of a field is missing here");
	int err = find_field(c, condition);
	if (err)
		return err;
	c->at += condition->field.len;
	/* ".ustring", ".function": what the field points to is compared */
	if (*c->at == '.') {
		struct xp_span what = { c->at + 1, word_len(c->at + 1) };

		c->at += 1 + what.len;
		condition->value = xp_span_equals(what, "function") ? FUNCTION : ANY;
	}
	return 0;
}

/* --- operators --- */

/* Longer ones before those they begin with. */
static const struct {
	const char *text;
	bool strings, numbers;
} operators[] = {
	{ "==", true, true }, { "!=", true, true }, { "<=", false, true }, { ">=", false, true },
	{ "<", false, true }, { ">", false, true }, { "~", true, false },  { "&", false, true },
};

static int no_operator(const struct check *c, const struct condition *condition)
{
	xp_source_error(&c->source, -EINVAL, here(c, 1),
			"'%.*s' is not compared with anything here",
			XP_SPAN_ARGS(condition->field));
	if (*c->at == '=')
		xp_diag_hint(c->source.diag, "Did you mean '%s'?", c->at[1] == '~' ? "~" : "==");
	else
		xp_diag_hint(c->source.diag, "The operators are == != < <= > >= & and, for "
					     "strings, ~ with a pattern");
	return -EINVAL;
}

static int read_operator(struct check *c, struct condition *condition)
{
	skip_blanks(c);
	for (size_t i = 0; i < XP_ARRAY_LEN(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(c->at, operators[i].text, len) || !strncmp(c->at, "&&", 2))
			continue;
		condition->op = here(c, len);
		if (condition->value == STRING && !operators[i].strings)
			return xp_source_error(
				&c->source, -EINVAL, condition->op,
				"'%.*s' is a string: compare it with ==, != or ~ (a pattern)",
				XP_SPAN_ARGS(condition->field));
		if (condition->value == FUNCTION && (len != 2 || !strchr("=!", *c->at)))
			return complain(c, condition->op, "compare functions with == or !=");
		if (is_number(condition) && !operators[i].numbers)
			return xp_source_error(&c->source, -EINVAL, condition->op,
					       "'%.*s' is a number, and ~ compares strings",
					       XP_SPAN_ARGS(condition->field));
		c->at += len;
		return 0;
	}
	return no_operator(c, condition);
}

/* --- values --- */

static int read_string(struct check *c, const struct condition *condition)
{
	const char *close = strchr(c->at + 1, *c->at);

	if (!close)
		return complain(c, here(c, 1), "this quote is never closed");
	struct xp_span value = here(c, (size_t)(close + 1 - c->at));
	if (is_number(condition))
		return xp_source_error(
			&c->source, -EINVAL, value,
			"'%.*s' is a number: compare it with a number, without quotes",
			XP_SPAN_ARGS(condition->field));
	if (xp_span_equals(condition->op, "<") || xp_span_equals(condition->op, ">") ||
	    xp_span_equals(condition->op, "<=") || xp_span_equals(condition->op, ">="))
		return complain(c, condition->op, "compare strings with ==, != or ~");
	c->at = close + 1;
	return 0;
}

/* As kstrtoull() with base 0: 0x is hexadecimal, another leading 0 octal. Returns 0, -EINVAL,
 * -ERANGE. */
static int check_number(struct xp_span value)
{
	bool is_octal = value.len > 1 && value.at[0] == '0' && (value.at[1] | 32) != 'x';
	uint64_t number;

	return xp_num_parse(value.at, value.len, is_octal ? 8 : 0, &number);
}

static int read_number(struct check *c, const struct condition *condition)
{
	size_t sign = *c->at == '-';
	struct xp_span value = here(c, sign + word_len(c->at + sign));

	if (condition->value == STRING)
		return xp_source_error(&c->source, -EINVAL, value,
				       "'%.*s' is a string: quote what it is compared with",
				       XP_SPAN_ARGS(condition->field));
	int err = check_number((struct xp_span){ value.at + sign, value.len - sign });
	if (err == -ERANGE)
		return complain(c, value, "this number is longer than 64 bits");
	if (err)
		return xp_source_error(&c->source, -EINVAL, value, "'%.*s' is not a number",
				       XP_SPAN_ARGS(value));
	if (sign && condition->value == UNSIGNED)
		return xp_source_error(&c->source, -EINVAL, value, "'%.*s' is never negative",
				       XP_SPAN_ARGS(condition->field));
	c->at += value.len;
	return 0;
}

/* CPUS{0-3}, since Linux 6.6 */
static int read_cpus(struct check *c)
{
	const char *close = strchr(c->at, '}');

	if (!close)
		return complain(c, here(c, 4), "this brace is never closed");
	c->at = close + 1;
	return 0;
}

static int no_value(const struct check *c, const struct condition *condition)
{
	struct xp_span word = here(c, word_len(c->at));

	if (!word.len)
		return xp_source_error(&c->source, -EINVAL, here(c, 1),
				       "what '%.*s' is compared with is missing here",
				       XP_SPAN_ARGS(condition->field));
	xp_source_error(&c->source, -EINVAL, word, "'%.*s' is neither a number nor a quoted string",
			XP_SPAN_ARGS(word));
	if (condition->value == STRING)
		xp_diag_hint(c->source.diag, "Quote it: %.*s %.*s \"%.*s\"",
			     XP_SPAN_ARGS(condition->field), XP_SPAN_ARGS(condition->op),
			     XP_SPAN_ARGS(word));
	return -EINVAL;
}

/* The kernel reads its name up to a blank. */
static int read_function(struct check *c, const struct condition *condition)
{
	struct xp_span name = here(c, strcspn(c->at, " \t\n"));

	if (!name.len)
		return no_value(c, condition);
	if (*c->at == '"' || *c->at == '\'')
		return complain(c, name, "write the name of a function without quotes");
	c->at += strcspn(c->at, " \t\n()&|");
	if (c->at < name.at + name.len)
		return complain(c, here(c, 1), "after the name of a function a blank is missing");
	return 0;
}

static int read_value(struct check *c, const struct condition *condition)
{
	skip_blanks(c);
	if (condition->value == FUNCTION && !isdigit((unsigned char)*c->at))
		return read_function(c, condition);
	if (*c->at == '"' || *c->at == '\'')
		return read_string(c, condition);
	if (isdigit((unsigned char)*c->at) || *c->at == '-')
		return read_number(c, condition);
	if (!strncmp(c->at, "CPUS{", 5))
		return read_cpus(c);
	return no_value(c, condition);
}

/* --- the whole --- */

static int read_condition(struct check *c)
{
	struct condition condition = { 0 };
	int err = read_field(c, &condition) ?: read_operator(c, &condition);

	return err ? err : read_value(c, &condition);
}

/* Everything before a condition. */
static int read_openings(struct check *c)
{
	for (;; c->at++) {
		skip_blanks(c);
		if (*c->at == '!')
			continue;
		if (*c->at != '(')
			return 0;
		if (c->nr_open == XP_ARRAY_LEN(c->open))
			return complain(c, here(c, 1), "there are too many parentheses");
		c->open[c->nr_open++] = c->at;
	}
}

static int read_closings(struct check *c)
{
	for (;; c->at++) {
		skip_blanks(c);
		if (*c->at != ')')
			return 0;
		if (!c->nr_open)
			return complain(c, here(c, 1), "this ')' closes nothing");
		c->nr_open--;
	}
}

static int not_joined(const struct check *c)
{
	size_t len = word_len(c->at);

	complain(c, here(c, len ? len : 1), "'&&' or '||' is missing before this");
	if (len == 3 && !strncasecmp(c->at, "and", 3))
		xp_diag_hint(c->source.diag, "Did you mean '&&'?");
	if (len == 2 && !strncasecmp(c->at, "or", 2))
		xp_diag_hint(c->source.diag, "Did you mean '||'?");
	if (*c->at == '&' || *c->at == '|')
		xp_diag_hint(c->source.diag, "Did you mean '%c%c'?", *c->at, *c->at);
	return -EINVAL;
}

/* Conditions and what joins them. The kernel bears a join at the end that joins nothing. */
static int read_filter(struct check *c)
{
	int err = read_openings(c);

	if (!err && !*c->at)
		return complain(c, here(c, 1),
				strpbrk(c->source.text, "(!") ? "a condition is missing here"
							      : "the filter is empty");
	while (!err) {
		err = read_condition(c) ?: read_closings(c);
		if (err || !*c->at)
			break;
		if (strncmp(c->at, "&&", 2) && strncmp(c->at, "||", 2))
			return not_joined(c);
		c->at += 2;
		err = read_openings(c);
		if (!*c->at)
			break;
	}
	if (!err && c->nr_open)
		return complain(c, (struct xp_span){ c->open[c->nr_open - 1], 1 },
				"this '(' is never closed");
	return err;
}

int xp_filter_check(struct xp_ctx *ctx, const char *tracepoint, const char *text,
		    struct xp_diag *diag)
{
	struct check c = { .ctx = ctx,
			   .source = { .text = text, .diag = diag },
			   .tracepoint = tracepoint,
			   .at = text };

	/* Its filters name functions, in words of their own. */
	if (tracepoint && !strcmp(tracepoint, "ftrace:function"))
		return 0;
	int err = read_filter(&c);
	xp_tracepoint_free(c.tp);
	return err;
}

int xp_evsel_add_filter(struct xp_evsel *evsel, const char *filter, struct xp_diag *diag)
{
	int err = xp_filter_is_possible(evsel, diag);

	if (err)
		return err;
	err = xp_filter_check(evsel->ctx, evsel->probe ? evsel->probe : evsel->tracepoint, filter,
			      diag);
	if (err)
		return err;
	err = xp_filter_keep(evsel, filter);
	return err ? xp_diag_set(diag, err, "Out of memory") : 0;
}
