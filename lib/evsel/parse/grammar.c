/* SPDX-License-Identifier: MIT */
/*
 * From tokens to the syntax tree, by recursive descent that never goes deeper than a term:
 *
 *	string    = item { "," item }
 *	item      = event | [ word ] "{" event { "," event } "}" [ ":" word ]
 *	event     = word parts [ "/" [ terms ] "/" [ [ ":" ] word ] ]
 *	          | "mem" ":" word "/" word parts [ "/" [ terms ] "/" [ [ ":" ] word ] ]
 *	          | ( "uprobe" | "kprobe" | "sdt" | "mem" ) ":" text of a probe, see probe-text.h
 *	parts     = { ":" [ word [ "=" word ] ] }
 *	terms     = term { "," term }
 *	term      = word [ "=" value ]
 *	value     = quoted | what is left of the term
 *
 * What the words mean is left to resolve.c. Source of the syntax: perf-list(1), perf 6.1.
 */
#include "grammar.h"

#include <errno.h>
#include <stdlib.h>

#include "lexer.h"
#include "probe-text.h"

struct parser {
	const struct xp_source *source;
	struct xp_token token; /* the next one */
	const char *end;       /* of the last one consumed */
	struct xp_ast *ast;
};

void xp_ast_fini(struct xp_ast *ast)
{
	free(ast->events);
	free(ast->terms);
	free(ast->groups);
	*ast = (struct xp_ast){ 0 };
}

/* Makes room for one more in an array. Returns it, moved perhaps; NULL: out of memory. */
static void *reserve(void *array, int nr, int *cap, size_t size)
{
	if (nr < *cap)
		return array;
	int more = *cap ? *cap * 2 : 16;
	void *grown = realloc(array, (size_t)more * size);

	if (grown)
		*cap = more;
	return grown;
}

/* Appends a value to the array ast->FIELD. Returns 0 or -ENOMEM. */
#define APPEND(ast, field, value)                                                                  \
	({                                                                                         \
		void *array_ = reserve((ast)->field, (ast)->nr_##field, &(ast)->cap_##field,       \
				       sizeof(value));                                             \
		if (array_) {                                                                      \
			(ast)->field = array_;                                                     \
			(ast)->field[(ast)->nr_##field++] = (value);                               \
		}                                                                                  \
		array_ ? 0 : -ENOMEM;                                                              \
	})

static struct xp_span consume(struct parser *p)
{
	struct xp_span span = p->token.span;

	p->end = p->token.end;
	p->token = xp_token_at(p->end);
	return span;
}

static bool accept(struct parser *p, enum xp_token_kind kind)
{
	if (p->token.kind != kind)
		return false;
	consume(p);
	return true;
}

static bool is_at(const struct parser *p, enum xp_token_kind kind)
{
	return p->token.kind == kind;
}

static int wrong(const struct parser *p, const char *what)
{
	return xp_source_error(p->source, -EINVAL, p->token.span, "%s", what);
}

static const char unclosed_quote[] = "this quote is not closed";

/* What is wrong when an event should begin with a token. */
static const char *const not_an_event[XP_TOKEN_NR_KINDS] = {
	[XP_TOKEN_END] = "an event is missing at the end",
	[XP_TOKEN_QUOTED] =
		"quotes are for the value of a term, as in software/config=2,name='a b'/",
	[XP_TOKEN_OPEN_QUOTE] = unclosed_quote,
	[XP_TOKEN_COMMA] = "an event is missing before ','",
	[XP_TOKEN_COLON] = "a name is missing before ':'",
	[XP_TOKEN_SLASH] = "the name of a PMU is missing before '/'",
	[XP_TOKEN_EQUALS] = "a name is missing before '='",
	[XP_TOKEN_OPEN] = "groups cannot be nested",
	[XP_TOKEN_CLOSE] = "an event is missing before '}'",
};

const char xp_misplaced_equals[] = "'=' is for terms between slashes, as in cpu/event=0x3c/";

/* What is wrong when a token stands behind a whole event or group. */
static const char *const not_behind_event[XP_TOKEN_NR_KINDS] = {
	[XP_TOKEN_WORD] = "',' is missing between two events",
	[XP_TOKEN_QUOTED] =
		"quotes are for the value of a term, as in software/config=2,name='a b'/",
	[XP_TOKEN_OPEN_QUOTE] = unclosed_quote,
	[XP_TOKEN_COLON] = "unexpected ':'",
	[XP_TOKEN_SLASH] = "unexpected '/'",
	[XP_TOKEN_EQUALS] = xp_misplaced_equals,
	[XP_TOKEN_OPEN] = "',' is missing before the group",
	[XP_TOKEN_CLOSE] = "this '}' closes no group",
};

/* What is wrong when a term should begin with a token. */
static const char *const not_a_term[XP_TOKEN_NR_KINDS] = {
	[XP_TOKEN_END] = "the closing '/' is missing",
	[XP_TOKEN_QUOTED] = "the name of a term must not be quoted",
	[XP_TOKEN_OPEN_QUOTE] = unclosed_quote,
	[XP_TOKEN_COMMA] = "a term is missing before ','",
	[XP_TOKEN_COLON] = "the name of a term is missing before ':'",
	[XP_TOKEN_SLASH] = "a term is missing before '/'",
	[XP_TOKEN_EQUALS] = "the name of a term is missing before '='",
	[XP_TOKEN_OPEN] = "the closing '/' is missing before '{'",
	[XP_TOKEN_CLOSE] = "the closing '/' is missing before '}'",
};

/* The rest of a term, whatever it consists of. */
static int parse_value(struct parser *p, struct xp_span *ret_value)
{
	const char *start = p->token.span.at;

	if (is_at(p, XP_TOKEN_QUOTED)) {
		*ret_value = consume(p);
		return 0;
	}
	if (is_at(p, XP_TOKEN_OPEN_QUOTE))
		return wrong(p, unclosed_quote);
	while (is_at(p, XP_TOKEN_WORD) || is_at(p, XP_TOKEN_COLON) || is_at(p, XP_TOKEN_EQUALS))
		consume(p);
	if (start == p->token.span.at)
		return wrong(p, "a value is missing after '='");
	*ret_value = (struct xp_span){ start, (size_t)(p->end - start) };
	return 0;
}

static int parse_term(struct parser *p)
{
	struct xp_ast_term term = { 0 };

	if (!is_at(p, XP_TOKEN_WORD))
		return wrong(p, not_a_term[p->token.kind]);
	term.name = consume(p);
	if (accept(p, XP_TOKEN_EQUALS)) {
		int err = parse_value(p, &term.value);
		if (err)
			return err;
	}
	return APPEND(p->ast, terms, term);
}

static int parse_terms(struct parser *p)
{
	int err;

	do
		err = parse_term(p);
	while (!err && accept(p, XP_TOKEN_COMMA));
	return err;
}

/* At the first '/'. */
static int parse_slashes(struct parser *p, struct xp_ast_event *event)
{
	event->has_terms = true;
	event->first_term = p->ast->nr_terms;
	consume(p);
	if (!is_at(p, XP_TOKEN_SLASH)) {
		int err = parse_terms(p);
		if (err)
			return err;
	}
	if (!is_at(p, XP_TOKEN_SLASH))
		return wrong(p, "',' or the closing '/' is missing here");
	consume(p);
	event->nr_terms = p->ast->nr_terms - event->first_term;
	accept(p, XP_TOKEN_COLON);
	if (is_at(p, XP_TOKEN_WORD))
		event->modifiers = consume(p);
	return 0;
}

/* Consumes "=VALUE" after the word that begins a part, as in PMU::EVENT:c=1. */
static void parse_part_value(struct parser *p, struct xp_span *part)
{
	if (!is_at(p, XP_TOKEN_EQUALS) || xp_token_at(p->token.end).kind != XP_TOKEN_WORD)
		return;
	consume(p);
	consume(p);
	part->len = (size_t)(p->end - part->at);
}

/* At a ':', or behind all parts. */
static void parse_parts(struct parser *p, struct xp_ast_event *event)
{
	while (event->nr_parts < XP_AST_PARTS_MAX && accept(p, XP_TOKEN_COLON)) {
		struct xp_span *part = &event->parts[event->nr_parts++];

		*part = (struct xp_span){ p->end, 0 };
		if (is_at(p, XP_TOKEN_WORD)) {
			*part = consume(p);
			parse_part_value(p, part);
		}
	}
}

/* What follows "mem:ADDRESS/": "4" is a length, "/", "name=x/", "percore/" and "percore," are
 * terms.
 */
static bool is_breakpoint_length(const struct parser *p, const struct xp_ast_event *event)
{
	if (!is_at(p, XP_TOKEN_SLASH) || event->nr_parts != 2 ||
	    !xp_span_equals(event->parts[0], "mem"))
		return false;
	struct xp_token first = xp_token_at(p->token.end);
	if (first.kind != XP_TOKEN_WORD || (*first.span.at >= '0' && *first.span.at <= '9'))
		return first.kind != XP_TOKEN_SLASH;
	enum xp_token_kind second = xp_token_at(first.end).kind;
	return second != XP_TOKEN_EQUALS && second != XP_TOKEN_COMMA && second != XP_TOKEN_SLASH;
}

/* At the ':' before the text of a probe. */
static int parse_probe(struct parser *p, struct xp_ast_event *event)
{
	const char *quote;

	consume(p);
	const char *text = p->end + strspn(p->end, " \t\r\n");
	const char *end = xp_probe_text_end(text, &quote);
	if (!end)
		return xp_source_error(p->source, -EINVAL, (struct xp_span){ quote, 1 }, "%s",
				       unclosed_quote);
	event->probe = (struct xp_span){ text, (size_t)(end - text) };
	p->end = end;
	p->token = xp_token_at(end);
	event->whole = (struct xp_span){ event->parts[0].at, (size_t)(end - event->parts[0].at) };
	return APPEND(p->ast, events, *event);
}

/* @name has been consumed. */
static int parse_event_behind(struct parser *p, struct xp_span name, int group)
{
	struct xp_ast_event event = { .parts = { name }, .nr_parts = 1, .group = group };
	int err = 0;

	if (is_at(p, XP_TOKEN_COLON) && xp_probe_text_follows(name, p->token.end))
		return parse_probe(p, &event);
	parse_parts(p, &event);
	if (is_breakpoint_length(p, &event)) {
		consume(p);
		if (!is_at(p, XP_TOKEN_WORD))
			return wrong(p, "the length of the breakpoint is missing after '/'");
		event.length = consume(p);
		parse_parts(p, &event);
	}
	if (is_at(p, XP_TOKEN_SLASH))
		err = parse_slashes(p, &event);
	if (err)
		return err;
	event.whole = (struct xp_span){ name.at, (size_t)(p->end - name.at) };
	return APPEND(p->ast, events, event);
}

static int parse_members(struct parser *p, int group)
{
	do {
		if (!is_at(p, XP_TOKEN_WORD))
			return wrong(p, not_an_event[p->token.kind]);
		struct xp_span name = consume(p);
		if (is_at(p, XP_TOKEN_OPEN))
			return wrong(p, not_an_event[XP_TOKEN_OPEN]);
		int err = parse_event_behind(p, name, group);
		if (err)
			return err;
	} while (accept(p, XP_TOKEN_COMMA));
	return 0;
}

static int check_close(struct parser *p, struct xp_span open)
{
	if (accept(p, XP_TOKEN_CLOSE))
		return 0;
	if (is_at(p, XP_TOKEN_END))
		return xp_source_error(p->source, -EINVAL, open,
				       "the group that begins here is not closed by '}'");
	return wrong(p, not_behind_event[p->token.kind]);
}

/* At the '{'. */
static int parse_group(struct parser *p, struct xp_span name)
{
	struct xp_ast_group group = { .name = name };
	struct xp_span open = consume(p);

	if (is_at(p, XP_TOKEN_CLOSE))
		return wrong(p, "the group is empty");
	int before = p->ast->nr_events;
	int err = parse_members(p, p->ast->nr_groups);
	group.nr_events = p->ast->nr_events - before;
	if (!err)
		err = check_close(p, open);
	if (err)
		return err;
	if (is_at(p, XP_TOKEN_WORD))
		return wrong(p, "',' or ':' is missing after the group");
	if (accept(p, XP_TOKEN_COLON) && is_at(p, XP_TOKEN_WORD))
		group.modifiers = consume(p);
	return APPEND(p->ast, groups, group);
}

static int parse_item(struct parser *p)
{
	if (is_at(p, XP_TOKEN_OPEN))
		return parse_group(p, (struct xp_span){ 0 });
	if (!is_at(p, XP_TOKEN_WORD))
		return wrong(p, not_an_event[p->token.kind]);

	struct xp_span name = consume(p);
	if (is_at(p, XP_TOKEN_OPEN))
		return parse_group(p, name);
	return parse_event_behind(p, name, -1);
}

static int parse_string(struct parser *p)
{
	int err;

	if (is_at(p, XP_TOKEN_END))
		return wrong(p, "the event string is empty");
	if (is_at(p, XP_TOKEN_CLOSE))
		return wrong(p, not_behind_event[XP_TOKEN_CLOSE]);
	do
		err = parse_item(p);
	while (!err && accept(p, XP_TOKEN_COMMA));
	if (!err && !is_at(p, XP_TOKEN_END))
		return wrong(p, not_behind_event[p->token.kind]);
	return err;
}

static int parse_alone_terms(struct parser *p)
{
	int err = parse_terms(p);

	if (!err && !is_at(p, XP_TOKEN_END))
		return wrong(p, "',' is missing between two terms");
	return err;
}

static int parse(const struct xp_source *source, const char *text, int (*fn)(struct parser *),
		 struct xp_ast *ret_ast)
{
	struct xp_ast ast = { 0 };
	struct parser p = { .source = source, .token = xp_token_at(text), .ast = &ast };
	int err = fn(&p);

	if (err)
		xp_ast_fini(&ast);
	else
		*ret_ast = ast;
	return err;
}

int xp_grammar_parse(const struct xp_source *source, struct xp_ast *ret_ast)
{
	return parse(source, source->text, parse_string, ret_ast);
}

int xp_grammar_parse_terms(const struct xp_source *source, const char *text, struct xp_ast *ret_ast)
{
	return parse(source, text, parse_alone_terms, ret_ast);
}
