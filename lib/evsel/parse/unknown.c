/* SPDX-License-Identifier: MIT */
/* Hints at what may have been meant by a name that is no event. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cache-names.h"
#include "cleanup.h"
#include "event-names.h"
#include "names.h"
#include "num.h"
#include "pmu.h"
#include "pmus.h"
#include "resolver.h"
#include "suggest.h"
#include "tracefs.h"
#include "vendor.h"

static bool has_other_separator(struct xp_span name)
{
	return memchr(name.at, ';', name.len) || memchr(name.at, '|', name.len);
}

static bool is_raw_code(struct xp_span name)
{
	uint64_t code;

	return xp_span_is_number(name) ||
	       (*name.at == 'R' && !xp_num_parse(name.at + 1, name.len - 1, 16, &code));
}

/* "r1zz" */
static bool is_no_code(struct xp_span name)
{
	return name.len > 1 && (*name.at | ' ') == 'r' && name.at[1] >= '0' && name.at[1] <= '9' &&
	       xp_span_has_only((struct xp_span){ name.at + 1, name.len - 1 },
				"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* What was meant by a name that is written like something else; NULL: nothing known. */
static const char *mistaken_form(struct xp_span name)
{
	static const struct {
		bool (*is_it)(struct xp_span name);
		const char *hint;
	} forms[] = {
		{ has_other_separator, "Events are separated by ','" },
		{ is_raw_code, "A raw event is 'r' and a hexadecimal number, as in r1a8" },
		{ is_no_code, "The number of a raw event is hexadecimal (0 to 9, a to f), as in "
			      "r1a8" },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(forms); i++)
		if (forms[i].is_it(name))
			return forms[i].hint;
	return NULL;
}

/* "sched" instead of "sched:*" */
static bool is_subsystem(struct xp_ctx *ctx, struct xp_span name)
{
	struct xp_names events = { 0 };
	xp_auto_free char *subsystem = strndup(name.at, name.len);
	bool found = subsystem && !strchr(subsystem, '/') && *subsystem != '.' &&
		     xp_tracefs_path(ctx) && !xp_tracefs_events(ctx, subsystem, &events) &&
		     events.nr;

	xp_names_fini(&events);
	return found;
}

/* "sched_switch" instead of "sched:sched_switch". True if there is such a tracepoint; then it is in
 * the hint. */
static bool hint_tracepoint(struct xp_resolver *r, struct xp_span name)
{
	struct xp_names subsystems = { 0 };
	xp_auto_free char *event = strndup(name.at, name.len);
	uint64_t id;
	bool found = false;

	if (!event || !xp_tracefs_path(r->ctx) || xp_tracefs_subsystems(r->ctx, &subsystems))
		return false;
	for (int i = 0; i < subsystems.nr && !found; i++) {
		found = !xp_tracefs_id(r->ctx, subsystems.at[i], event, &id);
		if (found)
			xp_diag_hint(r->source.diag, "It is a tracepoint of '%s': %s:%s",
				     subsystems.at[i], subsystems.at[i], event);
	}
	xp_names_fini(&subsystems);
	return found;
}

int xp_unknown_event(struct xp_resolver *r, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	struct xp_names more = { 0 };
	int first_spelling;
	const char *form = mistaken_form(name);

	if (!r->source.diag)
		return -ENOENT;
	xp_source_error(&r->source, -ENOENT, name, "there is no event '%.*s'", XP_SPAN_ARGS(name));
	if (form) {
		xp_diag_hint(r->source.diag, "%s", form);
		return -ENOENT;
	}
	if (is_subsystem(r->ctx, name)) {
		xp_diag_hint(r->source.diag, "Use '%.*s:*' for all tracepoints of '%.*s'",
			     XP_SPAN_ARGS(name), XP_SPAN_ARGS(name));
		return -ENOENT;
	}
	if (hint_tracepoint(r, name))
		return -ENOENT;
	/* perf writes event and unit mask of a vendor with a dot between them. */
	const char *dot = memchr(name.at, '.', name.len);
	struct xp_span event = { name.at, dot ? (size_t)(dot - name.at) : name.len };
	struct xp_span umask = { name.at + event.len + !!dot, name.len - event.len - !!dot };
	if (xp_vendor_hint(r, event, umask))
		return -ENOENT;
	xp_event_names_offer(&suggest);
	xp_cache_names_list(&more);
	xp_pmu_aliases_list(r->ctx, &more);
	for (int i = 0; i < more.nr; i++)
		xp_suggest_offer(&suggest, more.at[i]);
	if (!*r->ctx->root)
		xp_vendor_names_offer(&suggest);
	first_spelling = more.nr;
	if (!*r->ctx->root && dot)
		xp_vendor_spellings_list(&more);
	for (int i = first_spelling; i < more.nr; i++)
		xp_suggest_offer(&suggest, more.at[i]);
	xp_source_suggest(&r->source, &suggest, "No event has a similar name");
	xp_names_fini(&more);
	return -ENOENT;
}
