/* SPDX-License-Identifier: MIT */
/* What an event may be only by its place in a group. */
#include <errno.h>
#include <xperf/diag.h>

#include "pmus.h"
#include "resolver.h"
#include "uapi.h"

/* Only the leader can be pinned or exclusive: the kernel refuses others. perf_event_open(2). */
static int check_modifiers(struct xp_resolver *r, const struct xp_ast_event *ast, int first)
{
	bool is_leader = ast->group < 0 || !first || r->made.at[first - 1].group != ast->group;

	for (int i = first; i < r->made.nr; i++) {
		const struct xp_attr *attr = &r->made.at[i].evsel->attr;

		/* An event of several PMUs leads a group on each. */
		bool leads = is_leader && (i == first || r->made.at[i].evsel->pmu);
		if (leads || ast->group < 0 || (!attr->pinned && !attr->exclusive))
			continue;
		xp_source_error(&r->source, -EINVAL, r->modifiers,
				"only the first event of a group can be %s",
				attr->pinned ? "pinned" : "exclusive");
		xp_diag_hint(r->source.diag, "Put the modifier after the group: {a,b}:%s",
			     attr->pinned ? "D" : "e");
		return -EINVAL;
	}
	return 0;
}

static bool is_core_type(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_HARDWARE || attr->type == XP_TYPE_HW_CACHE ||
	       attr->type == XP_TYPE_RAW;
}

static bool same_pmu(const struct xp_evsel *a, const struct xp_evsel *b)
{
	return a->pmu == b->pmu &&
	       (a->attr.type == b->attr.type || (is_core_type(&a->attr) && is_core_type(&b->attr)));
}

/* A hybrid machine's event is one on each kind of CPU, which then get a group each. */
static bool follows_same_pmu(const struct xp_resolver *r, int idx)
{
	const struct xp_parsed_event *made = r->made.at;

	for (int i = idx - 1; i >= 0 && made[i].group == made[idx].group; i--) {
		if (same_pmu(made[i].evsel, made[idx].evsel))
			return true;
		if (!made[i].evsel->pmu || !made[i].evsel->pmu->is_core || !made[idx].evsel->pmu ||
		    !made[idx].evsel->pmu->is_core)
			return false;
	}
	return false;
}

/* Source: perf-list(1) of perf 7, "ratio-to-prev": the ratio of two events of a group on one PMU.
 */
static int check_ratio(struct xp_resolver *r, const struct xp_ast_event *ast, int first)
{
	for (int i = first; i < r->made.nr; i++) {
		if (r->made.at[i].evsel->terms.ratio_to_prev <= 0 ||
		    (ast->group >= 0 && follows_same_pmu(r, i)))
			continue;
		xp_source_error(
			&r->source, -EINVAL, ast->whole,
			"'ratio-to-prev' needs an event of the same PMU before it in its group");
		xp_diag_hint(r->source.diag,
			     "Example: {cycles,instructions/period=200000,ratio-to-prev=2.0/}");
		return -EINVAL;
	}
	return 0;
}

int xp_member_check(struct xp_resolver *r, const struct xp_ast_event *ast, int first)
{
	int err = check_modifiers(r, ast, first);

	return err ? err : check_ratio(r, ast, first);
}
