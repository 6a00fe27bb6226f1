/* SPDX-License-Identifier: MIT */
/*
 * Which vendor event a name means, and what is said when it means none: the nearest name, or what
 * there is instead. Case does not count in these names.
 */
#include "vendor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "names.h"
#include "str.h"
#include "suggest.h"

static bool is_name(struct xp_span span, const char *name)
{
	return strlen(name) == span.len && !strncasecmp(span.at, name, span.len);
}

struct xp_span xp_vendor_name_of(struct xp_span part)
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

/* By libpfm4's name, or as guides write it; *ret_umask then is not NULL. */
static int find_event(const struct xp_vendor_pmu *pmu, struct xp_span name,
		      struct xp_vendor_event *ret_event, const char **ret_umask)
{
	struct search s = { .name = name, .event = ret_event };
	int found = xp_vendor_walk_events(pmu, is_event, &s, NULL);

	*ret_umask = NULL;
	if (found || pmu->is_generic || !name.len)
		return found;
	return xp_vendor_find_spelled(pmu, name, ret_event, ret_umask);
}

int xp_vendor_find_attr(const struct xp_vendor_wanted *w, struct xp_span name,
			struct xp_vendor_attr *ret_attr)
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

/* --- names that are written otherwise --- */

/* The vendor event that is meant most probably. */
struct likely {
	struct xp_span event, umask;
	int score;
	bool is_present;
	char name[160];
};

/* How well a candidate fits: it is of this machine, and has the unit mask, or one that goes on or
 * is written nearly so. */
enum { SCORE_EVENT = 1, SCORE_NEAR, SCORE_BEGINS, SCORE_UMASK, SCORE_PRESENT = 10 };

struct candidate {
	struct xp_span umask;
	int score;
	const char *name; /* of the unit mask; NULL: none fits */
};

static bool begins(struct xp_span umask, const char *name)
{
	return !strncasecmp(umask.at, name, umask.len);
}

static bool is_near(struct xp_span umask, const char *name)
{
	unsigned int limit = (unsigned int)(umask.len + 1) / 3;

	return xp_edit_distance(umask.at, umask.len, name, strlen(name), limit) <= limit;
}

static int weigh_attr(const struct xp_vendor_attr *attr, void *data)
{
	struct candidate *candidate = data;
	struct xp_span umask = candidate->umask;
	int score = is_name(umask, attr->name)  ? SCORE_UMASK
		    : begins(umask, attr->name) ? SCORE_BEGINS
						: SCORE_NEAR;

	if (attr->is_umask && umask.len && score > candidate->score &&
	    (score > SCORE_NEAR || is_near(umask, attr->name))) {
		candidate->score = score;
		candidate->name = attr->name;
	}
	return 0;
}

struct hint_walk {
	struct likely *likely;
	const struct xp_vendor_pmu *pmu;
};

/* Of equals the last one stays: libpfm4 has newer processors behind older ones. */
static int weigh_event(const struct xp_vendor_event *event, void *data)
{
	const struct hint_walk *walk = data;
	struct likely *likely = walk->likely;
	struct candidate candidate = { .umask = likely->umask, .score = SCORE_EVENT };

	if (!is_name(likely->event, event->name))
		return 0;
	xp_vendor_walk_attrs(event, weigh_attr, &candidate, NULL);
	candidate.score += walk->pmu->is_present ? SCORE_PRESENT : 0;
	if (candidate.score < likely->score)
		return 0;
	likely->score = candidate.score;
	likely->is_present = walk->pmu->is_present;
	snprintf(likely->name, sizeof(likely->name), "%s::%s%s%s", walk->pmu->name, event->name,
		 candidate.name ? ":" : "", candidate.name ? candidate.name : "");
	return 0;
}

static int weigh_events(const struct xp_vendor_pmu *pmu, void *data)
{
	struct hint_walk walk = { .likely = data, .pmu = pmu };

	return pmu->is_generic ? 0 : xp_vendor_walk_events(pmu, weigh_event, &walk, NULL);
}

bool xp_vendor_hint(const struct xp_resolver *r, struct xp_span event, struct xp_span umask)
{
	struct likely likely = { .event = event, .umask = umask };

	if (!r->source.diag || *r->ctx->root || !event.len)
		return false;
	xp_vendor_walk_pmus(weigh_events, &likely, NULL);
	if (likely.is_present)
		xp_diag_hint(r->source.diag, "Did you mean '%s'?", likely.name);
	else if (likely.score)
		xp_diag_hint(r->source.diag, "'%s' is an event of other processors", likely.name);
	return likely.score;
}

/* --- complaints --- */

static int no_library(const struct xp_vendor_wanted *w, struct xp_span span,
		      const struct xp_diag *why)
{
	xp_source_error(&w->r->source, -ENOSYS, span, "%s", why->what);
	xp_diag_hint(w->r->source.diag, "%s", why->hint);
	return -ENOSYS;
}

static int unknown_pmu(const struct xp_vendor_wanted *w, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&w->r->source, -ENOENT, name, "libpfm4 does not know the PMU '%.*s'",
			XP_SPAN_ARGS(name));
	xp_vendor_walk_pmus(offer_pmu, &suggest, NULL);
	xp_source_suggest(&w->r->source, &suggest,
			  "Vendor events are written PMU::EVENT, as in skx::INST_RETIRED; "
			  "tracepoints have one ':'");
	return -ENOENT;
}

static int unknown_event(const struct xp_vendor_wanted *w, struct xp_span name)
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

void xp_vendor_show_attrs(const struct xp_vendor_wanted *w, bool umasks)
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

int xp_vendor_unknown_attr(const struct xp_vendor_wanted *w, struct xp_span part)
{
	/* All letters are near each other. */
	enum { LETTERS = 2 };
	struct xp_span name = xp_vendor_name_of(part);
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&w->r->source, -ENOENT, name,
			"'%s::%s' has no unit mask or modifier '%.*s'", w->pmu.name, w->event.name,
			XP_SPAN_ARGS(name));
	if (name.len > LETTERS)
		xp_vendor_walk_attrs(&w->event, offer_attr, &suggest, NULL);
	if (suggest.best) {
		xp_source_suggest(&w->r->source, &suggest, "");
	} else {
		xp_vendor_show_attrs(w, false);
		if (name.len > LETTERS)
			xp_vendor_show_attrs(w, true);
	}
	return -ENOENT;
}

int xp_vendor_unknown_alone(const struct xp_vendor_wanted *w)
{
	struct xp_span name = w->ast->parts[w->event_at];
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&w->r->source, -ENOENT, name, "no PMU of this machine has an event '%.*s'",
			XP_SPAN_ARGS(name));
	xp_vendor_walk_pmus(offer_events_of_any_present, &suggest, NULL);
	xp_source_suggest(&w->r->source, &suggest,
			  "Events of other machines are written PMU::EVENT");
	return -ENOENT;
}

static int ambiguous(const struct xp_vendor_wanted *w, const char *other)
{
	struct xp_span name = w->ast->parts[w->event_at];

	xp_source_error(&w->r->source, -EINVAL, name, "'%.*s' is an event of '%s' and of '%s'",
			XP_SPAN_ARGS(name), w->pmu.name, other);
	xp_diag_hint(w->r->source.diag, "Write %s::%s or %s::%s", w->pmu.name, w->event.name, other,
		     w->event.name);
	return -EINVAL;
}

/* --- which event it is --- */

/* A PMU of this machine that has the event; a second one makes it ambiguous. */
static int use_present(const struct xp_vendor_pmu *pmu, void *data)
{
	struct xp_vendor_wanted *w = data;
	struct xp_vendor_event event;
	const char *umask;

	if (!pmu->is_present)
		return 0;
	if (pmu->is_generic && (!w->with_generic || w->pmu.name))
		return 0;
	int found = find_event(pmu, w->ast->parts[w->event_at], &event, &umask);
	if (found <= 0)
		return found;
	if (w->pmu.name && !w->pmu.is_generic)
		return ambiguous(w, pmu->name);
	w->pmu = *pmu;
	w->event = event;
	w->umask = umask;
	return 0;
}

int xp_vendor_find_alone(struct xp_vendor_wanted *w)
{
	struct xp_diag why;
	int err = xp_vendor_walk_pmus(use_present, w, &why);

	if (err == -ENOSYS && w->with_generic)
		return no_library(w, w->ast->parts[w->event_at], &why);
	if (err)
		return err == -ENOSYS ? 0 : err;
	return w->pmu.name ? 1 : 0;
}

int xp_vendor_find_with_pmu(struct xp_vendor_wanted *w)
{
	struct xp_span name = w->ast->parts[0];
	struct search s = { .name = name, .pmu = &w->pmu };
	struct xp_diag why;
	int found = xp_vendor_walk_pmus(is_pmu, &s, &why);

	if (found < 0)
		return no_library(w, w->ast->whole, &why);
	if (!found)
		return unknown_pmu(w, name);
	found = find_event(&w->pmu, w->ast->parts[w->event_at], &w->event, &w->umask);
	return found ? found : unknown_event(w, w->ast->parts[w->event_at]);
}
