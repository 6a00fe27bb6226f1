/* SPDX-License-Identifier: MIT */
/*
 * Which PMUs an event is of: PMU/TERMS/, where PMU may be a pattern, or lack its number or
 * "uncore_"; a name in some PMU's events/ alone; and generic events on a hybrid machine, which are
 * counted by every PMU of its CPUs. Events of the boxes of one unit are merged into one when shown.
 *
 * Source: perf-list(1), perf-stat(1) "--no-merge", perf 6.1; the number of a PMU in the upper half
 * of a generic event's config: linux/perf_event.h, PERF_PMU_TYPE_SHIFT.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "glob.h"
#include "names.h"
#include "pmus.h"
#include "resolver.h"
#include "str.h"
#include "uapi.h"
#include "vec.h"

/* PMUs an event is added for, in the order of their names. */
struct chosen {
	const struct xp_pmu **at;
	int nr;
};

static int choose(struct chosen *chosen, const struct xp_pmu *pmu)
{
	if (vec_add(&chosen->at, (size_t)chosen->nr, sizeof(const struct xp_pmu *)))
		return -ENOMEM;
	chosen->at[chosen->nr++] = pmu;
	return 0;
}

/* Length of a name without its number: "_3", or "_" and three or more hexadecimal digits. */
static size_t base_len(const char *name)
{
	const char *last = strrchr(name, '_');

	if (!last || last == name || !last[1])
		return strlen(name);
	size_t digits = strspn(last + 1, "0123456789");
	size_t hex_digits = strspn(last + 1, "0123456789abcdef");
	bool is_number = !last[1 + digits] || (hex_digits > 2 && !last[1 + hex_digits]);
	return is_number ? (size_t)(last - name) : strlen(name);
}

static bool is_numbered(const char *name, struct xp_span base)
{
	return base_len(name) == base.len && name[base.len] && !memcmp(name, base.at, base.len);
}

static const char *without_uncore(const char *name)
{
	size_t len = strlen("uncore_");

	return strncmp(name, "uncore_", len) ? name : name + len;
}

static bool is_meant(const char *name, struct xp_span wanted)
{
	const char *rest = without_uncore(name);

	if (xp_is_glob(wanted.at, wanted.len))
		return xp_glob_match(wanted.at, wanted.len, name) ||
		       xp_glob_match(wanted.at, wanted.len, rest);
	return is_numbered(name, wanted) || is_numbered(rest, wanted) ||
	       xp_span_equals(wanted, rest);
}

static int choose_core(struct xp_resolver *r, struct chosen *chosen)
{
	const struct xp_pmu *const *core;
	int nr = xp_pmus_core(r->ctx, &core);
	int err = 0;

	for (int i = 0; !err && i < nr; i++)
		if (xp_pmus_wants(r->ctx, core[i]))
			err = choose(chosen, core[i]);
	return err;
}

/* The PMUs a name stands for, perhaps none. */
static int choose_by_name(struct xp_resolver *r, struct xp_span wanted, struct chosen *chosen)
{
	const struct xp_pmu *exact = xp_pmus_find(r->ctx, wanted.at, wanted.len);
	int err = 0;

	if (exact)
		return choose(chosen, exact);
	if (xp_span_equals(wanted, "cpu"))
		return choose_core(r, chosen);
	const struct xp_names *names = xp_pmus_names(r->ctx);
	for (int i = 0; !err && i < names->nr; i++) {
		if (!is_meant(names->at[i], wanted))
			continue;
		const struct xp_pmu *pmu = xp_pmus_find(r->ctx, names->at[i], strlen(names->at[i]));
		/* "_a53" is a name, not a number. */
		if (pmu && (!pmu->is_core || xp_is_glob(wanted.at, wanted.len)) &&
		    xp_pmus_wants(r->ctx, pmu))
			err = choose(chosen, pmu);
	}
	return err;
}

/* What stands behind the PMU in the event's name: "TERMS/MODIFIERS", blanks included. */
static void add_tail(struct xp_str *name, const struct xp_ast_event *ast, struct xp_span inner)
{
	const char *end = ast->whole.at + ast->whole.len;
	const char *open = memchr(ast->whole.at, '/', ast->whole.len);
	const char *close = memrchr(ast->whole.at, '/', ast->whole.len);
	struct xp_span modifiers = ast->modifiers;

	if (inner.at)
		xp_str_add(name, inner.at, inner.len);
	if (ast->nr_terms) {
		xp_str_add(name, ",", inner.at ? 1 : 0);
		xp_str_add(name, open + 1, (size_t)(close - open - 1));
	}
	xp_str_add(name, "/", 1);
	if (!ast->has_terms && ast->nr_parts > 1)
		modifiers = ast->parts[1];
	if (modifiers.at && modifiers.at + modifiers.len <= end)
		xp_str_add(name, modifiers.at, modifiers.len);
}

/* "PMU/INNER,TERMS/MODIFIERS", without blanks; the caller's, NULL on out of memory. */
static char *name_at(const char *pmu, size_t len, const struct xp_ast_event *ast,
		     struct xp_span inner)
{
	struct xp_str name = { 0 };

	xp_str_add(&name, pmu, len);
	xp_str_add(&name, "/", 1);
	add_tail(&name, ast, inner);
	char *text = xp_str_detach(&name);
	char *to = text;
	for (const char *from = text; from && *from; from++)
		if (!strchr(" \t\r\n", *from))
			*to++ = *from;
	if (to)
		*to = '\0';
	return text;
}

static bool same_unit(const struct xp_evsel *a, const struct xp_evsel *b)
{
	size_t len = base_len(a->pmu->name);

	if (a->pmu->is_core && b->pmu->is_core)
		return !strcmp(a->unit, b->unit) && a->scale == b->scale;
	return len == base_len(b->pmu->name) && !memcmp(a->pmu->name, b->pmu->name, len) &&
	       !strcmp(a->unit, b->unit) && a->scale == b->scale;
}

/* Boxes of one unit are one to the user; the PMUs of CPUs are not, unless that was asked for. */
static void merge(struct xp_resolver *r, int first, struct xp_evsel *evsel)
{
	bool merges = !evsel->pmu->is_core || xp_pmus_merges_core(r->ctx);

	for (int i = first; i < r->made.nr && merges; i++) {
		struct xp_evsel *other = r->made.at[i].evsel;

		if (other == evsel || !same_unit(other, evsel))
			continue;
		evsel->merged_into = other->merged_into;
		evsel->is_merged = other->is_merged = true;
		return;
	}
}

/* Moves what a draft says into the event made of it. */
static void finalize(struct xp_draft *draft, struct xp_evsel *evsel)
{
	evsel->pmu = draft->pmu;
	evsel->own_cpus = xp_cpus_ref(draft->pmu->cpus);
	evsel->is_uncore = draft->pmu->is_uncore;
	if (draft->facts.scale > 0)
		evsel->scale = draft->facts.scale;
	if (draft->facts.unit) {
		evsel->own_unit = draft->facts.unit;
		evsel->unit = evsel->own_unit;
		draft->facts.unit = NULL;
	}
	evsel->per_pkg = draft->facts.per_pkg;
	evsel->snapshot = draft->facts.snapshot;
}

/* Its name among those it is merged with; the caller's, NULL on out of memory. */
static char *own_name(const struct xp_ast_event *ast, const struct xp_draft *draft,
		      struct xp_span inner)
{
	const char *pmu = draft->pmu->name;
	struct xp_str name = { 0 };

	if (!draft->name.at)
		return name_at(pmu, strlen(pmu), ast, inner);
	xp_str_addf(&name, "%.*s [%s]", (int)draft->name.len, draft->name.at, pmu);
	return xp_str_detach(&name);
}

/* Adds the event of a draft. @inner: the name in front of the terms; absent: none */
static int add_draft(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_draft *draft,
		     struct xp_span inner, int first)
{
	xp_auto_free char *own = own_name(ast, draft, inner);
	xp_auto_free char *given = draft->name.at ? strndup(draft->name.at, draft->name.len) : NULL;

	if (!own || (draft->name.at && !given))
		return -ENOMEM;
	int err = xp_resolver_add(r, ast, &draft->attr, XP_TOOL_NONE, given);
	if (err)
		return err;
	struct xp_evsel *evsel = r->made.at[r->made.nr - 1].evsel;
	finalize(draft, evsel);
	merge(r, first, evsel);
	evsel->is_named = draft->name.at;
	evsel->own_name = own;
	own = NULL;
	return 0;
}

/* Where an event stands for those of several units, or of one kind of CPU, each is named by its
 * own. */
static int name_units(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_span inner,
		      int first)
{
	int nr_units = 0;

	for (int i = first; i < r->made.nr; i++)
		nr_units += r->made.at[i].evsel->merged_into == r->made.at[i].evsel;
	for (int i = first; i < r->made.nr; i++) {
		struct xp_evsel *evsel = r->made.at[i].evsel;

		if (evsel->is_named || (nr_units < 2 && !xp_pmus_is_chosen(r->ctx, evsel->pmu)))
			continue;
		const char *pmu = evsel->pmu->name;
		size_t len = evsel->pmu->is_core ? strlen(pmu) : base_len(pmu);
		char *name = name_at(pmu, len, ast, inner);

		if (!name)
			return -ENOMEM;
		free(evsel->name);
		evsel->name = name;
	}
	return 0;
}

/*
 * Adds the event for each chosen PMU that has it. @alias: it stands for these terms there.
 * Returns 0, -ENODATA (none has the alias; there is no complaint), or why none has it.
 */
static int add_for_each(struct xp_resolver *r, const struct xp_ast_event *ast,
			const struct chosen *chosen, struct xp_span alias)
{
	struct xp_diag *diag = r->source.diag;
	int first = r->made.nr;
	int refused = 0;
	int err = 0;

	for (int i = 0; i < chosen->nr && err != -ENOMEM; i++) {
		struct xp_draft draft = { .pmu = chosen->at[i],
					  .attr = xp_resolver_attr(chosen->at[i]->type, 0) };

		err = xp_terms_draft(r, ast, alias, &draft)
			      ?: add_draft(r, ast, &draft, alias, first);
		xp_draft_fini(&draft);
		/* The first refusal is reported, unless another PMU has the event. */
		if (err && err != -ENODATA) {
			refused = refused ? refused : err;
			r->source.diag = NULL;
		}
	}
	r->source.diag = diag;
	if (err == -ENOMEM)
		return err;
	if (r->made.nr == first)
		return refused ? refused : -ENODATA;
	if (refused && diag)
		*diag = (struct xp_diag){ 0 };
	return name_units(r, ast, alias, first);
}

static int unknown_pmu(struct xp_resolver *r, struct xp_span name)
{
	xp_source_error(&r->source, -ENOENT, name, "this machine has no PMU '%.*s'",
			XP_SPAN_ARGS(name));
	xp_source_suggest_from(&r->source, name, xp_pmus_names(r->ctx), "It has");
	return -ENOENT;
}

/* Whichever PMU has the name in its events/. */
static int add_alias_of_any(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	const struct xp_names *names = xp_pmus_names(r->ctx);
	struct xp_span alias = ast->parts[0];
	struct chosen chosen = { 0 };
	int err = 0;

	for (int i = 0; !err && alias.len && i < names->nr; i++) {
		const char *name = names->at[i];
		const struct xp_pmu *pmu = NULL;

		if (xp_file_exists(r->ctx, XP_PMU_DEVICES "/%s/events/%.*s", name, (int)alias.len,
				   alias.at))
			pmu = xp_pmus_find(r->ctx, name, strlen(name));
		if (pmu && xp_pmus_wants(r->ctx, pmu))
			err = choose(&chosen, pmu);
	}
	if (!err)
		err = add_for_each(r, ast, &chosen, alias);
	free(chosen.at);
	return err;
}

int xp_pmu_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct chosen chosen = { 0 };

	if (!ast->has_terms || ast->nr_parts > 1)
		return 0;
	r->modifiers = ast->modifiers;
	int err = choose_by_name(r, ast->parts[0], &chosen);
	if (!err && chosen.nr)
		err = add_for_each(r, ast, &chosen, (struct xp_span){ 0 });
	else if (!err)
		err = add_alias_of_any(r, ast);
	if (err == -ENODATA)
		err = unknown_pmu(r, ast->parts[0]);
	free(chosen.at);
	return err ? err : 1;
}

int xp_pmu_alias_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	if (ast->has_terms)
		return 0;
	int err = add_alias_of_any(r, ast);
	if (err)
		return err == -ENODATA ? 0 : err;
	err = xp_resolver_modifiers_at(r, ast, 1);
	return err ? err : 1;
}

int xp_pmu_add_to_each_core(struct xp_resolver *r, const struct xp_ast_event *ast,
			    const struct xp_attr *attr, struct xp_span name)
{
	const struct xp_pmu *const *core;
	int first = r->made.nr;

	if (attr->type != XP_TYPE_HARDWARE && attr->type != XP_TYPE_HW_CACHE &&
	    attr->type != XP_TYPE_RAW)
		return 0;
	int nr = xp_pmus_core(r->ctx, &core);
	for (int i = 0; i < nr; i++) {
		struct xp_draft draft = { .pmu = core[i], .attr = *attr, .name = name };

		if (!xp_pmus_wants(r->ctx, core[i]))
			continue;
		if (attr->type == XP_TYPE_RAW)
			draft.attr.type = core[i]->type;
		else
			draft.attr.config |= (uint64_t)core[i]->type << 32;
		int err = add_draft(r, ast, &draft, ast->parts[0], first);
		if (err)
			return err;
	}
	if (!nr)
		return 0;
	int err = name_units(r, ast, ast->parts[0], first);
	return err ? err : 1;
}
