/* SPDX-License-Identifier: MIT */
/*
 * From the syntax tree to events: which kind of event a name is. The kinds with files behind them
 * have files of their own (resolver.h); what tables and numbers decide is here.
 */
#include "resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cache-names.h"
#include "cleanup.h"
#include "common-terms.h"
#include "event-names.h"
#include "grammar.h"
#include "modifiers.h"
#include "num.h"
#include "pmu.h"
#include "pmus.h"
#include "shortage.h"
#include "suggest.h"
#include "uapi.h"
#include "vec.h"

static struct xp_parsed_event *next_made(struct xp_resolver *r)
{
	if (vec_add(&r->made.at, (size_t)r->made.nr, sizeof(*r->made.at)))
		return NULL;
	return &r->made.at[r->made.nr];
}

/* The part without blanks, the caller's; NULL on out of memory. */
static char *name_of(struct xp_span span)
{
	char *name = malloc(span.len + 1);
	size_t len = 0;

	if (!name)
		return NULL;
	for (size_t i = 0; i < span.len; i++)
		if (!strchr(" \t\r\n", span.at[i]))
			name[len++] = span.at[i];
	name[len] = '\0';
	return name;
}

int xp_resolver_add(struct xp_resolver *r, const struct xp_ast_event *ast,
		    const struct xp_attr *attr, enum xp_tool_event tool, const char *name)
{
	struct xp_parsed_event *made = next_made(r);
	xp_auto_free char *written = name ? NULL : name_of(ast->whole);
	int err;

	if (!made || (!name && !written))
		return -ENOMEM;
	*made = (struct xp_parsed_event){ .group = ast->group };
	if (tool)
		err = xp_evsel_new_tool(r->ctx, tool, name ? name : written, &made->evsel);
	else
		err = xp_evsel_new(r->ctx, attr, name ? name : written, &made->evsel);
	if (err)
		return err;
	if (tool)
		made->evsel->attr.exclude_guest = attr->exclude_guest;
	r->made.nr++;
	return 0;
}

int xp_resolver_modifiers_at(struct xp_resolver *r, const struct xp_ast_event *ast, int first)
{
	int last = ast->has_terms ? first - 1 : first;

	if (ast->nr_parts > last + 1 && ast->has_terms)
		return xp_source_error(&r->source, -EINVAL, ast->parts[first],
				       "modifiers must follow the last '/'");
	if (ast->nr_parts > last + 1)
		return xp_source_error(&r->source, -EINVAL, ast->parts[last + 1], "unexpected ':'");
	if (ast->has_terms)
		r->modifiers = ast->modifiers;
	else if (ast->nr_parts > first)
		r->modifiers = ast->parts[first];
	return 0;
}

bool xp_span_is_number(struct xp_span span)
{
	uint64_t value;

	return xp_num_parse(span.at, span.len, 0, &value) != -EINVAL;
}

int xp_resolver_add_with_terms(struct xp_resolver *r, const struct xp_ast_event *ast,
			       struct xp_attr *attr, enum xp_tool_event tool, int modifiers_at)
{
	struct xp_span name = { 0 };
	int err = xp_resolver_modifiers_at(r, ast, modifiers_at);

	if (!err && ast->has_terms)
		err = xp_terms_apply(r, ast, attr, &name);
	if (err)
		return err;
	if (!tool && !xp_span_is_number(ast->parts[0])) {
		int added = xp_pmu_add_to_each_core(r, ast, attr, name);
		if (added)
			return added;
	}
	xp_auto_free char *given = name.at ? strndup(name.at, name.len) : NULL;
	if (name.at && !given)
		return -ENOMEM;
	err = xp_resolver_add(r, ast, attr, tool, given);
	return err ? err : 1;
}

/* TYPE:CONFIG, both as the attribute has them. */
static int resolve_numbers(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	uint64_t type, config;

	if (ast->nr_parts < 2 || !xp_span_is_number(ast->parts[0]))
		return 0;
	if (xp_num_parse(ast->parts[0].at, ast->parts[0].len, 0, &type) || type > UINT32_MAX)
		return xp_source_error(&r->source, -EINVAL, ast->parts[0],
				       "the type of an event has at most 32 bits");
	int err = xp_num_parse(ast->parts[1].at, ast->parts[1].len, 0, &config);
	if (err)
		return xp_source_error(&r->source, -EINVAL, ast->parts[1],
				       err == -ERANGE ? "the number of an event has at most 64 bits"
						      : "a number is missing after the type, as "
							"in 1:2");
	struct xp_attr attr = xp_resolver_attr((uint32_t)type, config);
	return xp_resolver_add_with_terms(r, ast, &attr, XP_TOOL_NONE, 2);
}

/*
 * "cycles", "page-faults", "duration_time"; what a PMU counts goes before how the machine is:
 * "slots"
 */
static int resolve_table_name(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	const struct xp_event_name *row = xp_event_name_find(ast->parts[0]);

	if (!row || (xp_tool_is_snapshot(row->tool) && xp_pmu_has_alias(r->ctx, row->name)))
		return 0;
	struct xp_attr attr = xp_resolver_attr(row->type, row->config);
	return xp_resolver_add_with_terms(r, ast, &attr, row->tool, 1);
}

/* "L1-dcache-load-misses" */
static int resolve_cache_name(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_attr attr = xp_resolver_attr(XP_TYPE_HW_CACHE, 0);
	uint64_t config;
	int found = xp_cache_name_parse(&r->source, ast->parts[0], &config);

	if (found <= 0)
		return found;
	attr.config = config;
	return xp_resolver_add_with_terms(r, ast, &attr, XP_TOOL_NONE, 1);
}

/* "r1a8", "r0x1a8": a code of this machine's core PMU. */
static int resolve_raw(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_attr attr = xp_resolver_attr(XP_TYPE_RAW, 0);
	struct xp_span name = ast->parts[0];
	uint64_t config;

	if (*name.at != 'r')
		return 0;
	int err = xp_num_parse(name.at + 1, name.len - 1, 16, &config);
	if (err == -ERANGE)
		return xp_source_error(&r->source, -EINVAL, name,
				       "the number of a raw event has at most 64 bits");
	if (err)
		return 0;
	attr.config = config;
	return xp_resolver_add_with_terms(r, ast, &attr, XP_TOOL_NONE, 1);
}

/* Tried in this order: what needs no file comes first. */
static xp_event_kind_fn *const kinds[] = {
	xp_probe_resolve,      xp_breakpoint_resolve, resolve_numbers, xp_vendor_resolve,
	resolve_table_name,    resolve_cache_name,    resolve_raw,     xp_pmu_resolve,
	xp_tracepoint_resolve, xp_pmu_alias_resolve,
};

/* The first of the kinds that recognises the event. Returns as they do. */
static int resolve_kind(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	int found = 0;

	if (r->vendor_only)
		return xp_vendor_resolve_only(r, ast);
	for (size_t i = 0; !found && i < XP_ARRAY_LEN(kinds); i++)
		found = kinds[i](r, ast);
	return found;
}

/*
 * What no kind recognises may be a vendor's name. @found: what the kinds said, 0 or an error with
 * a complaint, which stays if it is none. Returns as the kinds do.
 */
static int resolve_as_vendor(struct xp_resolver *r, const struct xp_ast_event *ast, int found)
{
	struct xp_span name = ast->parts[0];
	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	/* A name this near is meant, whatever else looks like it. */
	enum { NEAR = 2 };

	int as_vendor = xp_vendor_resolve_alone(r, ast);
	if (as_vendor > 0 && r->source.diag)
		*r->source.diag = (struct xp_diag){ 0 };
	if (as_vendor || !found || found == -EINVAL)
		return as_vendor ? as_vendor : found;
	if (!*r->ctx->root)
		xp_vendor_names_offer(&suggest);
	if (suggest.best && suggest.best_distance <= NEAR) {
		xp_source_error(&r->source, found, name, "there is no event '%.*s'",
				XP_SPAN_ARGS(name));
		xp_source_suggest(&r->source, &suggest, "");
	} else if (found == -ENOENT) {
		xp_vendor_hint(r, name, ast->nr_parts > 1 ? ast->parts[1] : (struct xp_span){ 0 });
	}
	return found;
}

/* What every event can have of terms, whatever kind it is of. */
static int use_terms(struct xp_resolver *r, const struct xp_ast_event *ast, int first)
{
	struct xp_event_terms terms = { 0 };
	int err = xp_event_terms_parse(r->ctx, &r->source, r->ast->terms + ast->first_term,
				       ast->nr_terms, &terms);

	for (int i = first; !err && i < r->made.nr; i++)
		xp_event_terms_copy(&r->made.at[i].evsel->terms, &terms);
	xp_event_terms_fini(&terms);
	return err;
}

/* What the kinds refused, or did not know, that is not written as something else. */
static bool may_be_vendor(const struct xp_resolver *r, const struct xp_ast_event *ast, int found)
{
	return found <= 0 && found != -ENOMEM && !ast->has_terms && !ast->probe.at &&
	       !r->vendor_only && !xp_vendor_has_pmu(ast);
}

static int resolve_event(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	int first = r->made.nr;

	r->modifiers = (struct xp_span){ 0 };
	int found = resolve_kind(r, ast);
	if (may_be_vendor(r, ast, found))
		found = resolve_as_vendor(r, ast, found);
	if (!found)
		return xp_unknown_event(r, ast->parts[0]);
	if (found < 0)
		return found;
	int err = ast->nr_terms ? use_terms(r, ast, first) : 0;
	if (err)
		return err;
	err = xp_modifiers_apply(&r->source, r->modifiers, &r->made.at[first], r->made.nr - first);
	return err ? err : xp_member_check(r, ast, first);
}

/*
 * Events of several PMUs that cannot stand in one group: those of different CPUs, or what one name
 * has become. What the user puts together otherwise, as msr/tsc/ with cpu/cycles/, may well do.
 */
static bool needs_splitting(const struct xp_parsed_event *events, int nr, bool expanded)
{
	const struct xp_pmu *pmu = NULL;

	for (int i = 0; i < nr; i++) {
		const struct xp_pmu *next = events[i].evsel->pmu;

		if (next && pmu && next != pmu && (expanded || (next->is_core && pmu->is_core)))
			return true;
		pmu = next ? next : pmu;
	}
	return false;
}

/* Brings the events of the first one's PMU to the front, in order. Returns how many. */
static int gather(struct xp_parsed_event *events, int nr)
{
	const struct xp_pmu *pmu = NULL;
	int front = 0;

	for (int i = 0; i < nr && !pmu; i++)
		pmu = events[i].evsel->pmu;
	for (int i = 0; i < nr; i++) {
		struct xp_parsed_event event = events[i];

		/* What has no PMU of its own, as software events, goes with the first. */
		if (event.evsel->pmu && event.evsel->pmu != pmu)
			continue;
		memmove(&events[front + 1], &events[front], (size_t)(i - front) * sizeof(*events));
		events[front++] = event;
	}
	return front;
}

/* The kernel schedules a group on one PMU: of several, each gets a group. */
static int resolve_group(struct xp_resolver *r, struct xp_parsed_event *events, int nr)
{
	const struct xp_ast_group *group = &r->ast->groups[events[0].group];
	struct xp_span letters = group->modifiers;
	bool splits = needs_splitting(events, nr, nr > group->nr_events);

	while (nr) {
		int front = splits ? gather(events, nr) : nr;
		int err = xp_modifiers_apply_to_group(&r->source, letters, events, front);

		if (err)
			return err;
		events += front;
		nr -= front;
		r->nr_groups += nr > 0;
		for (int i = 0; i < nr; i++)
			events[i].group = r->nr_groups - 1;
	}
	return 0;
}

static int resolve_groups(struct xp_resolver *r)
{
	int first = 0;

	r->nr_groups = r->ast->nr_groups;
	for (int i = 0; i < r->made.nr; i = first) {
		int group = r->made.at[i].group;

		first = i + 1;
		while (first < r->made.nr && group >= 0 && r->made.at[first].group == group)
			first++;
		int err = group < 0 ? 0 : resolve_group(r, &r->made.at[i], first - i);
		if (err)
			return err;
	}
	return 0;
}

static int resolve(struct xp_resolver *r)
{
	for (int i = 0; i < r->ast->nr_events; i++) {
		int err = resolve_event(r, &r->ast->events[i]);

		if (err)
			return err;
	}
	return resolve_groups(r);
}

static int parse(struct xp_ctx *ctx, const struct xp_elf_lookup *elf, const char *text,
		 bool vendor_only, struct xp_parsed *ret_parsed, struct xp_diag *diag)
{
	struct xp_ast ast = { 0 };
	struct xp_resolver r = { .ctx = ctx,
				 .elf = elf,
				 .source = { .text = text, .diag = diag },
				 .ast = &ast,
				 .vendor_only = vendor_only };
	unsigned int since = ctx->nr_shortages;
	int err = xp_grammar_parse(&r.source, &ast) ?: resolve(&r);

	err = xp_ctx_shortage(ctx, since) ?: err;
	xp_ast_fini(&ast);
	if (err)
		xp_parsed_fini(&r.made);
	else
		*ret_parsed = r.made;
	if (err == -ENOMEM)
		xp_diag_set(diag, err, "Out of memory");
	else if (xp_is_shortage(err) && diag && diag->err != err)
		xp_diag_set(diag, err, "Files of this machine cannot be opened: %s",
			    strerror(-err));
	return err;
}

int xp_events_parse(struct xp_ctx *ctx, const struct xp_elf_lookup *elf, const char *text,
		    struct xp_parsed *ret_parsed, struct xp_diag *diag)
{
	return parse(ctx, elf, text, false, ret_parsed, diag);
}

int xp_vendor_events_parse(struct xp_ctx *ctx, const char *text, struct xp_parsed *ret_parsed,
			   struct xp_diag *diag)
{
	return parse(ctx, NULL, text, true, ret_parsed, diag);
}

void xp_parsed_fini(struct xp_parsed *parsed)
{
	for (int i = 0; i < parsed->nr; i++)
		xp_evsel_free(parsed->at[i].evsel);
	free(parsed->at);
	*parsed = (struct xp_parsed){ 0 };
}
