/* SPDX-License-Identifier: MIT */
/*
 * Events under the names their makers gave them: PMU::EVENT[:UNIT MASK or modifier...], and
 * EVENT[:...] alone where one PMU of this machine has it. libpfm4 says what there is
 * (vendor-find.c) and encodes it; what is wrong, and where, is found here, because libpfm4 reports
 * no position. EVENT.UMASK, as guides write it, is in vendor-spelled.c.
 *
 * Letters that are modifiers of every event are ours: they mean what they mean elsewhere.
 */
#include "vendor.h"

#include <errno.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "event-names.h"
#include "modifiers.h"
#include "str.h"

/* Letters every event can bear, unless libpfm4 knows the part under this name. */
static bool is_ours(const struct xp_vendor_wanted *w, struct xp_span part)
{
	struct xp_vendor_attr attr;

	if (!xp_span_has_only(part, xp_modifier_letters))
		return false;
	if (xp_vendor_find_attr(w, part, &attr) != 1)
		return true;
	return !attr.is_umask && xp_span_has_only(part, "ukhGHDpI");
}

static int check_attr(const struct xp_vendor_wanted *w, struct xp_span part)
{
	struct xp_vendor_attr attr;

	if (!part.len)
		return xp_source_error(&w->r->source, -EINVAL, part, "unexpected ':'");
	/* Unit masks can be given as numbers. */
	if (*part.at >= '0' && *part.at <= '9')
		return 0;
	if (xp_vendor_find_attr(w, xp_vendor_name_of(part), &attr) != 1)
		return xp_vendor_unknown_attr(w, part);
	if (!attr.is_umask && !strcmp(attr.name, "cpu"))
		return xp_source_error(&w->r->source, -EINVAL, part,
				       "the CPUs are not chosen in the event");
	return 0;
}

static void add_written(struct xp_str *text, struct xp_span part)
{
	for (size_t i = 0; i < part.len; i++)
		if (!strchr(" \t\r\n", part.at[i]))
			xp_str_add(text, part.at + i, 1);
}

/* Encodes the event with its attributes before part @end. */
static int encode(const struct xp_vendor_wanted *w, int end, struct xp_attr *ret_attr,
		  const char **ret_why)
{
	struct xp_str text = { 0 };

	xp_str_addf(&text, "%s::", w->pmu.name);
	if (w->umask)
		xp_str_addf(&text, "%s%s%s", w->event.name, *w->umask ? ":" : "", w->umask);
	else
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
static struct xp_span guilty_part(const struct xp_vendor_wanted *w, const char *why)
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

static int encode_all(const struct xp_vendor_wanted *w, struct xp_attr *ret_attr)
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
			     "The events of a PMU can be encoded only on a machine that has it");
		return -ENOENT;
	}
	if (err == -EINVAL) {
		xp_source_error(&w->r->source, err, guilty_part(w, why), "%s", why);
		if (ast->nr_parts == w->event_at + 1)
			xp_vendor_show_attrs(w, true);
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
static int forbid_opening(const struct xp_vendor_wanted *w, struct xp_evsel *evsel)
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
	evsel->foreign = xp_str_detach(&why);
	return evsel->foreign ? 0 : -ENOMEM;
}

static int apply_ours(const struct xp_vendor_wanted *w, struct xp_parsed_event *made)
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

/* How often to sample is kept with the terms: what counts must not raise interrupts. */
static void move_rate(struct xp_evsel *evsel)
{
	struct xp_attr *attr = &evsel->attr;

	if (attr->freq)
		evsel->terms.freq = attr->sample_freq;
	else
		evsel->terms.period = attr->sample_period;
	attr->freq = 0;
	attr->sample_period = 0;
}

/* Returns 1, or why not. */
static int add(const struct xp_vendor_wanted *w)
{
	struct xp_resolver *r = w->r;
	struct xp_span name = { 0 };
	struct xp_attr attr;
	int err = encode_all(w, &attr);

	if (!err && w->ast->has_terms)
		err = xp_terms_apply(r, w->ast, &attr, &name);
	if (err)
		return err;
	xp_auto_free char *given = name.at ? strndup(name.at, name.len) : NULL;
	if (name.at && !given)
		return -ENOMEM;
	err = xp_resolver_add(r, w->ast, &attr, XP_TOOL_NONE, given);
	if (err)
		return err;
	struct xp_parsed_event *made = &r->made.at[r->made.nr - 1];
	move_rate(made->evsel);
	err = forbid_opening(w, made->evsel) ?: apply_ours(w, made);
	return err ? err : 1;
}

bool xp_vendor_has_pmu(const struct xp_ast_event *ast)
{
	return ast->nr_parts > 2 && ast->parts[1].at && !ast->parts[1].len;
}

int xp_vendor_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_vendor_wanted w = { .r = r, .ast = ast, .event_at = 2 };

	/* "cycles::u" is a modifier behind a ':' too many. */
	if (!xp_vendor_has_pmu(ast) || xp_event_name_find(ast->parts[0]))
		return 0;
	int found = xp_vendor_find_with_pmu(&w);
	return found > 0 ? add(&w) : found;
}

int xp_vendor_resolve_alone(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_vendor_wanted w = { .r = r, .ast = ast };

	/* libpfm4 looks at the machine it runs on, whatever the root path. */
	if (*r->ctx->root || xp_vendor_has_pmu(ast))
		return 0;
	int found = xp_vendor_find_alone(&w);
	return found > 0 ? add(&w) : found;
}

int xp_vendor_resolve_only(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_vendor_wanted w = { .r = r, .ast = ast, .with_generic = true };

	if (xp_vendor_has_pmu(ast))
		return xp_vendor_resolve(r, ast);
	int found = xp_vendor_find_alone(&w);
	if (found)
		return found > 0 ? add(&w) : found;
	return xp_vendor_unknown_alone(&w);
}
