/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: SUBSYSTEM:EVENT[:MODIFIERS], both with '*' and '?'. A pattern stands for all that
 * match, in the order of their names.
 *
 * Source: perf_event_open(2), "PERF_TYPE_TRACEPOINT": config is the number in tracefs. Shown names,
 * without modifiers: measured with `perf stat`, perf 6.1.
 */
#include "resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cleanup.h"
#include "glob.h"
#include "modifiers.h"
#include "names.h"
#include "str.h"
#include "suggest.h"
#include "tracefs.h"
#include "uapi.h"

/* One SUBSYSTEM:EVENT of the text. */
struct wanted {
	struct xp_resolver *r;
	const struct xp_ast_event *ast;
	struct xp_span subsystem, event;
	struct xp_attr attr; /* but for the number */
	char *name;          /* what a term calls it; NULL: SUBSYSTEM:EVENT */
};

static int add(struct wanted *w, const char *subsystem, const char *event)
{
	struct xp_str name = { 0 };
	uint64_t id;
	int err = xp_tracefs_id(w->r->ctx, subsystem, event, &id);

	if (err)
		return err;
	w->attr.config = id;
	xp_str_addf(&name, "%s:%s", subsystem, event);
	xp_auto_free char *text = xp_str_detach(&name);
	if (!text)
		return -ENOMEM;
	err = xp_resolver_add(w->r, w->ast, &w->attr, XP_TOOL_NONE, w->name ? w->name : text);
	if (err)
		return err;
	w->r->made.at[w->r->made.nr - 1].evsel->tracepoint = text;
	text = NULL;
	return 0;
}

static bool is_glob(struct xp_span span)
{
	return xp_is_glob(span.at, span.len);
}

/* Adds the events of one subsystem. Those that have no number are no events. */
static int add_matches_in(struct wanted *w, const char *subsystem)
{
	struct xp_names events = { 0 };
	int err = 0;

	if (!is_glob(w->event)) {
		xp_auto_free char *event = strndup(w->event.at, w->event.len);

		err = event ? add(w, subsystem, event) : -ENOMEM;
		return err == -ENOENT ? 0 : err;
	}
	err = xp_tracefs_events(w->r->ctx, subsystem, &events);
	for (int i = 0; !err && i < events.nr; i++) {
		if (xp_glob_match(w->event.at, w->event.len, events.at[i]))
			err = add(w, subsystem, events.at[i]);
		if (err == -ENOENT)
			err = 0;
	}
	xp_names_fini(&events);
	return err == -ENOTDIR ? 0 : err;
}

static int add_matches(struct wanted *w)
{
	struct xp_names subsystems = { 0 };
	int err;

	if (!is_glob(w->subsystem)) {
		xp_auto_free char *subsystem = strndup(w->subsystem.at, w->subsystem.len);

		return subsystem ? add_matches_in(w, subsystem) : -ENOMEM;
	}
	err = xp_tracefs_subsystems(w->r->ctx, &subsystems);
	for (int i = 0; !err && i < subsystems.nr; i++)
		if (xp_glob_match(w->subsystem.at, w->subsystem.len, subsystems.at[i]))
			err = add_matches_in(w, subsystems.at[i]);
	xp_names_fini(&subsystems);
	return err;
}

/* tracefs does not answer. */
static int unreadable(const struct wanted *w, int err)
{
	const struct xp_source *source = &w->r->source;
	struct xp_tracefs_why why;

	err = err == -EPERM ? -EACCES : err;
	xp_tracefs_explain(w->r->ctx, err, &why);
	xp_source_error(source, err, w->ast->whole, "'%.*s' cannot be looked up: %s",
			XP_SPAN_ARGS(w->ast->whole), why.reason);
	xp_diag_hint(source->diag, "%s", why.hint);
	return err;
}

static const char look[] = "The file available_events of tracefs lists the tracepoints";

static void suggest_nearest(const struct wanted *w, struct xp_span word, const char *prefix,
			    const struct xp_names *names)
{
	struct xp_suggest suggest = { .word = word.at, .len = word.len };
	struct xp_diag *diag = w->r->source.diag;

	for (int i = 0; i < names->nr; i++)
		xp_suggest_offer(&suggest, names->at[i]);
	if (suggest.best)
		xp_diag_hint(diag, "Did you mean '%s%s%s'?", prefix, *prefix ? ":" : "",
			     suggest.best);
	else
		xp_diag_hint(diag, "%s", look);
}

static int no_match(const struct wanted *w)
{
	xp_source_error(&w->r->source, -ENOENT, w->ast->whole, "no tracepoint matches '%.*s'",
			XP_SPAN_ARGS(w->ast->whole));
	xp_diag_hint(w->r->source.diag, "%s", look);
	return -ENOENT;
}

/* tracefs is there, but nothing in it has this name. */
static int unknown(const struct wanted *w)
{
	const struct xp_source *source = &w->r->source;
	xp_auto_free char *subsystem = strndup(w->subsystem.at, w->subsystem.len);
	struct xp_names names = { 0 };

	if (!subsystem)
		return -ENOMEM;
	if (is_glob(w->subsystem) || is_glob(w->event))
		return no_match(w);
	if (!xp_tracefs_events(w->r->ctx, subsystem, &names)) {
		xp_source_error(source, -ENOENT, w->event, "there is no tracepoint '%.*s:%.*s'",
				XP_SPAN_ARGS(w->subsystem), XP_SPAN_ARGS(w->event));
		suggest_nearest(w, w->event, subsystem, &names);
	} else {
		int err = xp_tracefs_subsystems(w->r->ctx, &names);
		if (err)
			return unreadable(w, err);
		xp_source_error(source, -ENOENT, w->subsystem, "there are no tracepoints of '%.*s'",
				XP_SPAN_ARGS(w->subsystem));
		suggest_nearest(w, w->subsystem, "", &names);
	}
	xp_names_fini(&names);
	return -ENOENT;
}

static int add_wanted(struct wanted *w, bool is_certain)
{
	unsigned int since = w->r->ctx->nr_shortages;
	int before = w->r->made.nr;
	int err = xp_tracefs_path(w->r->ctx) ? add_matches(w) : -ENOENT;

	if (err == -ENOMEM)
		return err;
	if (w->r->made.nr > before)
		return err ? unreadable(w, err) : 1;
	if (!is_certain)
		return 0;
	if (!xp_tracefs_path(w->r->ctx))
		return unreadable(w, xp_ctx_shortage(w->r->ctx, since) ?: -ENOENT);
	return err && err != -ENOENT ? unreadable(w, err) : unknown(w);
}

int xp_tracepoint_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct wanted w = { .r = r,
			    .ast = ast,
			    .subsystem = ast->parts[0],
			    .event = ast->parts[1],
			    .attr = xp_resolver_attr(XP_TYPE_TRACEPOINT, 0) };
	struct xp_span name = { 0 };

	if (ast->nr_parts < 2)
		return 0;
	/* "cylces:u" is a misspelt event rather than a tracepoint, unless there is such a one. */
	bool is_certain = ast->nr_parts > 2 || ast->has_terms ||
			  !xp_span_has_only(w.event, xp_modifier_letters);
	int err = is_certain ? xp_resolver_modifiers_at(r, ast, 2) : 0;
	if (!err && ast->has_terms)
		err = xp_terms_apply(r, ast, &w.attr, &name);
	if (err)
		return err;
	if (name.at) {
		w.name = strndup(name.at, name.len);
		if (!w.name)
			return -ENOMEM;
	}
	err = add_wanted(&w, is_certain);
	free(w.name);
	return err;
}
