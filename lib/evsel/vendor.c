/* SPDX-License-Identifier: MIT */
/*
 * Events under the names their makers gave them: PMU::EVENT[:UNIT MASK or modifier...], and
 * EVENT[:...] alone where one PMU of this machine has it. Case does not count in these names.
 * libpfm4 says what there is and encodes it; what is wrong, and where, is found here, because
 * libpfm4 tells no position.
 *
 * Letters that are modifiers of every event are ours: they mean what they mean elsewhere.
 */
#include "resolver.h"

#include <errno.h>
#include <strings.h>

#include "cleanup.h"
#include "event-names.h"
#include "modifiers.h"
#include "names.h"
#include "pfm.h"
#include "str.h"
#include "suggest.h"

/* One event of the text. */
struct wanted {
	struct xp_resolver *r;
	const struct xp_ast_event *ast;
	int event_at;      /* the part that names the event; what follows are its attributes */
	bool with_generic; /* names may also be the kernel's own */
	struct xp_vendor_pmu pmu; /* which has it */
	struct xp_vendor_event event;
};

static bool is_name(struct xp_span span, const char *name)
{
	return strlen(name) == span.len && !strncasecmp(span.at, name, span.len);
}

/* NAME of "NAME=VALUE". */
static struct xp_span name_of(struct xp_span part)
{
	size_t len = 0;

	while (len < part.len && !strchr("= \t\r\n", part.at[len]))
		len++;
	return (struct xp_span){ part.at, len };
}

/* --- looking for names --- */

/* A name to be found, and where what bears it goes. */
struct search {
	struct xp_span name;
	struct xp_vendor_pmu *pmu;
	struct xp_vendor_event *event;
	struct xp_vendor_attr *attr;
};

static int is_pmu(const struct xp_vendor_pmu *pmu, void *data)
{
	struct search *s = data;

	if (!is_name(s->name, pmu->name))
		return 0;
	*s->pmu = *pmu;
	return 1;
}

/* The one event of the kernel's PMU of codes stands for all of them. */
static bool is_code(struct xp_span name, const char *event)
{
	return !strcmp(event, "r0000") && name.len > 1 && (*name.at | ' ') == 'r' &&
	       xp_span_has_only((struct xp_span){ name.at + 1, name.len - 1 },
				"0123456789abcdefABCDEF");
}

static int is_event(const struct xp_vendor_event *event, void *data)
{
	struct search *s = data;

	if (!is_name(s->name, event->name) && !is_code(s->name, event->name))
		return 0;
	*s->event = *event;
	return 1;
}

static int is_attr(const struct xp_vendor_attr *attr, void *data)
{
	struct search *s = data;

	if (!is_name(s->name, attr->name))
		return 0;
	*s->attr = *attr;
	return 1;
}

static int find_event(const struct xp_vendor_pmu *pmu, struct xp_span name,
		      struct xp_vendor_event *ret_event)
{
	struct search s = { .name = name, .event = ret_event };

	return xp_vendor_walk_events(pmu, is_event, &s, NULL);
}

static int find_attr(const struct wanted *w, struct xp_span name, struct xp_vendor_attr *ret_attr)
{
	struct search s = { .name = name, .attr = ret_attr };

	return xp_vendor_walk_attrs(&w->event, is_attr, &s, NULL);
}

/* Names to choose the nearest from; they are libpfm4's and stay. */
static int offer_pmu(const struct xp_vendor_pmu *pmu, void *data)
{
	xp_suggest_offer(data, pmu->name);
	return 0;
}

static int offer_event(const struct xp_vendor_event *event, void *data)
{
	xp_suggest_offer(data, event->name);
	return 0;
}

static int offer_events_of_any_present(const struct xp_vendor_pmu *pmu, void *data)
{
	return pmu->is_present ? xp_vendor_walk_events(pmu, offer_event, data, NULL) : 1;
}

static int offer_events_of_present(const struct xp_vendor_pmu *pmu, void *data)
{
	return pmu->is_generic ? 0 : offer_events_of_any_present(pmu, data);
}

void xp_vendor_names_offer(struct xp_suggest *suggest)
{
	xp_vendor_walk_pmus(offer_events_of_present, suggest, NULL);
}

/* --- complaints --- */

static int no_library(const struct wanted *w, struct xp_span span, const struct xp_diag *why)
{
	xp_source_error(&w->r->source, -ENOSYS, span, "%s", why->what);
	xp_diag_hint(w->r->source.diag, "%s", why->hint);
	return -ENOSYS;
}

static int unknown_pmu(const struct wanted *w, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&w->r->source, -ENOENT, name, "libpfm4 knows no PMU '%.*s'",
			XP_SPAN_ARGS(name));
	xp_vendor_walk_pmus(offer_pmu, &suggest, NULL);
	xp_source_suggest(&w->r->source, &suggest,
			  "Vendor event names are written PMU::EVENT, as in skx::INST_RETIRED");
	return -ENOENT;
}

static int unknown_event(const struct wanted *w, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	struct xp_diag *diag = w->r->source.diag;

	if (!name.len)
		return xp_source_error(&w->r->source, -EINVAL, name,
				       "the name of an event of '%s' is missing", w->pmu.name);
	xp_source_error(&w->r->source, -ENOENT, name, "the PMU '%s' has no event '%.*s'",
			w->pmu.name, XP_SPAN_ARGS(name));
	xp_vendor_walk_events(&w->pmu, offer_event, &suggest, NULL);
	if (suggest.best)
		xp_diag_hint(diag, "Did you mean '%s::%s'?", w->pmu.name, suggest.best);
	return -ENOENT;
}

/* Which attributes an event has: all of one kind in a line. */
struct attr_list {
	bool umasks;
	struct xp_names names;
};

static int add_attr(const struct xp_vendor_attr *attr, void *data)
{
	struct attr_list *list = data;

	return attr->is_umask == list->umasks ? xp_names_add(&list->names, attr->name) : 0;
}

static int offer_attr(const struct xp_vendor_attr *attr, void *data)
{
	xp_suggest_offer(data, attr->name);
	return 0;
}

/* Adds a hint: what may stand behind the event. */
static void show_attrs(const struct wanted *w, bool umasks)
{
	struct attr_list list = { .umasks = umasks };
	struct xp_str all = { 0 };

	xp_vendor_walk_attrs(&w->event, add_attr, &list, NULL);
	for (int i = 0; i < list.names.nr; i++)
		xp_str_addf(&all, "%s%s", i ? ", " : "", list.names.at[i]);
	if (all.len)
		xp_diag_hint(w->r->source.diag, "Its %s are: %s",
			     umasks ? "unit masks" : "modifiers", all.s);
	xp_str_fini(&all);
	xp_names_fini(&list.names);
}

static int unknown_attr(const struct wanted *w, struct xp_span part)
{
	/* All letters are near each other. */
	enum { LETTERS = 2 };
	struct xp_span name = name_of(part);
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&w->r->source, -ENOENT, name,
			"'%s::%s' has no unit mask or modifier '%.*s'", w->pmu.name, w->event.name,
			XP_SPAN_ARGS(name));
	if (name.len > LETTERS)
		xp_vendor_walk_attrs(&w->event, offer_attr, &suggest, NULL);
	if (suggest.best) {
		xp_source_suggest(&w->r->source, &suggest, "");
	} else {
		show_attrs(w, false);
		if (name.len > LETTERS)
			show_attrs(w, true);
	}
	return -ENOENT;
}

static int ambiguous(const struct wanted *w, const char *other)
{
	struct xp_span name = w->ast->parts[w->event_at];

	xp_source_error(&w->r->source, -EINVAL, name, "'%.*s' is an event of '%s' and of '%s'",
			XP_SPAN_ARGS(name), w->pmu.name, other);
	xp_diag_hint(w->r->source.diag, "Write which one: %s::%s or %s::%s", w->pmu.name,
		     w->event.name, other, w->event.name);
	return -EINVAL;
}

/* --- which event it is --- */

/* A PMU of this machine that has the event; a second one makes it ambiguous. */
static int take_present(const struct xp_vendor_pmu *pmu, void *data)
{
	struct wanted *w = data;
	struct xp_vendor_event event;

	if (!pmu->is_present)
		return 0;
	if (pmu->is_generic && (!w->with_generic || w->pmu.name))
		return 0;
	int found = find_event(pmu, w->ast->parts[w->event_at], &event);
	if (found <= 0)
		return found;
	if (w->pmu.name && !w->pmu.is_generic)
		return ambiguous(w, pmu->name);
	w->pmu = *pmu;
	w->event = event;
	return 0;
}

/* Returns 1 (found), 0 (no PMU of this machine has it), or why not. */
static int find_alone(struct wanted *w)
{
	struct xp_diag why;
	int err = xp_vendor_walk_pmus(take_present, w, &why);

	if (err == -ENOSYS && w->with_generic)
		return no_library(w, w->ast->parts[w->event_at], &why);
	if (err)
		return err == -ENOSYS ? 0 : err;
	return w->pmu.name ? 1 : 0;
}

/* Returns 1, or why not. */
static int find_with_pmu(struct wanted *w)
{
	struct xp_span name = w->ast->parts[0];
	struct search s = { .name = name, .pmu = &w->pmu };
	struct xp_diag why;
	int found = xp_vendor_walk_pmus(is_pmu, &s, &why);

	if (found < 0)
		return no_library(w, w->ast->whole, &why);
	if (!found)
		return unknown_pmu(w, name);
	found = find_event(&w->pmu, w->ast->parts[w->event_at], &w->event);
	return found ? found : unknown_event(w, w->ast->parts[w->event_at]);
}

/* --- what it counts --- */

/* Letters every event can bear, unless libpfm4 knows the part under this name. */
static bool is_ours(const struct wanted *w, struct xp_span part)
{
	struct xp_vendor_attr attr;

	if (!xp_span_has_only(part, xp_modifier_letters))
		return false;
	if (find_attr(w, part, &attr) != 1)
		return true;
	return !attr.is_umask && xp_span_has_only(part, "ukhGHDpI");
}

static int check_attr(const struct wanted *w, struct xp_span part)
{
	struct xp_vendor_attr attr;

	if (!part.len)
		return xp_source_error(&w->r->source, -EINVAL, part, "this is one ':' too many");
	/* Unit masks can be given as numbers. */
	if (*part.at >= '0' && *part.at <= '9')
		return 0;
	if (find_attr(w, name_of(part), &attr) != 1)
		return unknown_attr(w, part);
	if (!attr.is_umask && !strcmp(attr.name, "cpu"))
		return xp_source_error(&w->r->source, -EINVAL, part,
				       "the CPUs are chosen with -C, not in the event");
	return 0;
}

static void add_written(struct xp_str *text, struct xp_span part)
{
	for (size_t i = 0; i < part.len; i++)
		if (!strchr(" \t\r\n", part.at[i]))
			xp_str_add(text, part.at + i, 1);
}

/* Encodes the event with its attributes before part @end. */
static int encode(const struct wanted *w, int end, struct xp_attr *ret_attr, const char **ret_why)
{
	struct xp_str text = { 0 };

	xp_str_addf(&text, "%s::", w->pmu.name);
	add_written(&text, w->ast->parts[w->event_at]);
	for (int i = w->event_at + 1; i < end; i++) {
		if (is_ours(w, w->ast->parts[i]))
			continue;
		xp_str_add(&text, ":", 1);
		add_written(&text, w->ast->parts[i]);
	}
	int err = text.failed ? -ENOMEM : xp_pfm_encode(text.s, ret_attr, ret_why);
	xp_str_fini(&text);
	return err;
}

/* The first part with which it goes wrong in the same way. */
static struct xp_span guilty_part(const struct wanted *w, const char *why)
{
	struct xp_attr attr;
	const char *also;

	for (int end = w->event_at + 1; end < w->ast->nr_parts; end++) {
		also = NULL;
		if (encode(w, end, &attr, &also) == -EINVAL && also == why)
			return w->ast->parts[end - 1];
	}
	return w->ast->parts[w->ast->nr_parts - 1];
}

static int encode_all(const struct wanted *w, struct xp_attr *ret_attr)
{
	const struct xp_ast_event *ast = w->ast;
	const char *why = NULL;
	int err = 0;

	for (int i = w->event_at + 1; i < ast->nr_parts && !err; i++)
		if (!is_ours(w, ast->parts[i]) || !ast->parts[i].len)
			err = check_attr(w, ast->parts[i]);
	if (err)
		return err;
	err = encode(w, ast->nr_parts, ret_attr, &why);
	if (err == -ENOTSUP) {
		xp_source_error(&w->r->source, -ENOENT, ast->parts[0],
				"this machine has no PMU '%s'", w->pmu.name);
		xp_diag_hint(w->r->source.diag,
			     "Only a machine that has it can say how its events are counted");
		return -ENOENT;
	}
	if (err == -EINVAL) {
		xp_source_error(&w->r->source, err, guilty_part(w, why), "%s", why);
		if (ast->nr_parts == w->event_at + 1)
			show_attrs(w, true);
	}
	return err;
}

static int name_present(const struct xp_vendor_pmu *pmu, void *data)
{
	const char **name = data;

	if (!pmu->is_present)
		return 1;
	if (pmu->is_core)
		*name = pmu->name;
	return 0;
}

/* The code would count something else here, or nothing. */
static int forbid_opening(const struct wanted *w, struct xp_evsel *evsel)
{
	const char *present = NULL;
	struct xp_str why = { 0 };

	if (w->pmu.is_present)
		return 0;
	xp_vendor_walk_pmus(name_present, &present, NULL);
	xp_str_addf(&why, "it is an event of the PMU '%s', ", w->pmu.name);
	if (present)
		xp_str_addf(&why, "and this machine's PMU is '%s'", present);
	else
		xp_str_addf(&why, "which this machine does not have");
	evsel->foreign = xp_str_take(&why);
	return evsel->foreign ? 0 : -ENOMEM;
}

static int apply_ours(const struct wanted *w, struct xp_parsed_event *made)
{
	const struct xp_ast_event *ast = w->ast;
	struct xp_span last = ast->whole;
	int err = 0;

	for (int i = w->event_at + 1; i < ast->nr_parts && !err; i++)
		if (is_ours(w, ast->parts[i])) {
			last = ast->parts[i];
			err = xp_modifiers_apply_to_group(&w->r->source, last, made, 1);
		}
	if (!err && ast->modifiers.at) {
		last = ast->modifiers;
		err = xp_modifiers_apply_to_group(&w->r->source, last, made, 1);
	}
	/* They have been applied; where they stand is left for complaints. */
	w->r->modifiers = (struct xp_span){ last.at, 0 };
	return err;
}

/* Returns 1, or why not. */
static int add(const struct wanted *w)
{
	struct xp_resolver *r = w->r;
	struct xp_span name = { 0 };
	struct xp_attr attr;
	int err = encode_all(w, &attr);

	if (!err && w->ast->has_terms)
		err = xp_terms_apply(r, w->ast, NULL, &attr, &name);
	if (err)
		return err;
	xp_auto_free char *given = name.at ? strndup(name.at, name.len) : NULL;
	if (name.at && !given)
		return -ENOMEM;
	err = xp_resolver_add(r, w->ast, &attr, XP_TOOL_NONE, given);
	if (err)
		return err;
	struct xp_parsed_event *made = &r->made.at[r->made.nr - 1];
	err = forbid_opening(w, made->evsel);
	if (!err)
		err = apply_ours(w, made);
	return err ? err : 1;
}

bool xp_vendor_has_pmu(const struct xp_ast_event *ast)
{
	return ast->nr_parts > 2 && ast->parts[1].at && !ast->parts[1].len;
}

int xp_vendor_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct wanted w = { .r = r, .ast = ast, .event_at = 2 };

	/* "cycles::u" is a modifier behind a ':' too many. */
	if (!xp_vendor_has_pmu(ast) || xp_event_name_find(ast->parts[0]))
		return 0;
	int found = find_with_pmu(&w);
	return found > 0 ? add(&w) : found;
}

int xp_vendor_resolve_alone(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct wanted w = { .r = r, .ast = ast };

	/* libpfm4 looks at the machine it runs on, whatever the root path. */
	if (*r->ctx->root || xp_vendor_has_pmu(ast))
		return 0;
	int found = find_alone(&w);
	return found > 0 ? add(&w) : found;
}

int xp_vendor_resolve_only(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct wanted w = { .r = r, .ast = ast, .with_generic = true };
	struct xp_span name = ast->parts[0];

	if (xp_vendor_has_pmu(ast))
		return xp_vendor_resolve(r, ast);
	int found = find_alone(&w);
	if (found)
		return found > 0 ? add(&w) : found;

	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	xp_source_error(&r->source, -ENOENT, name, "no PMU of this machine has an event '%.*s'",
			XP_SPAN_ARGS(name));
	xp_vendor_walk_pmus(offer_events_of_any_present, &suggest, NULL);
	xp_source_suggest(&r->source, &suggest,
			  "Names of other machines' events are written PMU::EVENT");
	return -ENOENT;
}
