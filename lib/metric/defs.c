/* SPDX-License-Identifier: MIT */
/* A set of metrics: finding them, and whether their formulas can be computed at all. */
#include "defs-impl.h"
#include "vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xperf/diag.h>
#include <xperf/formula.h>

#include "cleanup.h"

/* Metrics may be made of others, not without end: levels, and names that are looked up in all. */
enum { LEVELS_MAX = 16, NAMES_MAX = 10000 };

int xp_metric_defs_new(struct xp_metric_defs **ret_defs)
{
	*ret_defs = calloc(1, sizeof(**ret_defs));
	return *ret_defs ? 0 : -ENOMEM;
}

void xp_metric_free(struct metric *metric)
{
	if (!metric)
		return;
	for (int i = 0; i < NR_FIELDS; i++)
		free(metric->values[i]);
	xp_formula_free(metric->formula);
	xp_formula_free(metric->threshold);
	free(metric->origin);
	free(metric->groups);
	free(metric);
}

void xp_metric_defs_free(struct xp_metric_defs *defs)
{
	if (!defs)
		return;
	for (int i = 0; i < defs->nr; i++)
		xp_metric_free(defs->at[i]);
	for (int i = 0; i < defs->nr_groups; i++) {
		free(defs->groups[i]->name);
		free(defs->groups[i]->text);
		free(defs->groups[i]);
	}
	free(defs->at);
	free(defs->groups);
	free(defs);
}

int xp_metric_defs_nr(const struct xp_metric_defs *defs)
{
	return defs->nr;
}

const struct xp_metric_def *xp_metric_defs_at(const struct xp_metric_defs *defs, int idx)
{
	return idx >= 0 && idx < defs->nr ? &defs->at[idx]->def : NULL;
}

const struct xp_metric_def *xp_metric_defs_find(const struct xp_metric_defs *defs, const char *name)
{
	for (int i = 0; i < defs->nr; i++)
		if (!strcmp(defs->at[i]->def.name, name))
			return &defs->at[i]->def;
	return NULL;
}

const struct xp_metric_group *xp_metric_defs_group(const struct xp_metric_defs *defs, int idx)
{
	return idx >= 0 && idx < defs->nr_groups ? &defs->groups[idx]->shown : NULL;
}

struct group *xp_metric_group_get(struct xp_metric_defs *defs, const char *name, size_t len)
{
	struct group *group;

	for (int i = 0; i < defs->nr_groups; i++)
		if (strlen(defs->groups[i]->name) == len &&
		    !strncasecmp(defs->groups[i]->name, name, len))
			return defs->groups[i];
	if (vec_add(&defs->groups, (size_t)defs->nr_groups, sizeof(struct group *)))
		return NULL;
	group = calloc(1, sizeof(*group));
	if (group)
		group->name = strndup(name, len);
	if (!group || !group->name) {
		free(group);
		return NULL;
	}
	group->shown = (struct xp_metric_group){ group->name, "" };
	defs->groups[defs->nr_groups++] = group;
	return group;
}

size_t xp_metric_word(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

bool xp_metric_def_has_event(const struct xp_metric_def *def, const char *name)
{
	const char *at = def->events;
	size_t len;

	for (; (len = xp_metric_word(&at)); at += len)
		if (strlen(name) == len && !memcmp(name, at, len))
			return true;
	return false;
}

/* --- checking --- */

struct check {
	const struct xp_metric_defs *defs;
	const struct xp_metric_def *def;
	struct xp_diag *diag;
	int level;
	int *nr_names;
	bool is_threshold;
};

static const char *const literals[] = {
	"#core_wide",       "#has_pmem",        "#num_cores",    "#num_cpus",
	"#num_cpus_online", "#num_dies",        "#num_packages", "#slots",
	"#smt_on",          "#system_tsc_freq", "#target_cpu",
};

static bool is_literal(const char *name)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(literals); i++)
		if (!strcmp(literals[i], name))
			return true;
	return false;
}

static int check_metric(const struct check *check);

static int check_name(enum xp_formula_use use, const char *name, void *data)
{
	const struct check *check = data;
	struct check deeper = *check;

	if (use == XP_FORMULA_LITERAL && !is_literal(name))
		return xp_diag_set(check->diag, -ENOENT, "%s:%d: There is no literal '%s'",
				   check->def->origin, check->def->line, name);
	if (use != XP_FORMULA_VALUE || xp_metric_def_has_event(check->def, name) ||
	    (check->is_threshold && !strcmp(check->def->name, name)))
		return 0;
	deeper.def = xp_metric_defs_find(check->defs, name);
	deeper.level++;
	if (!deeper.def)
		return xp_diag_set(check->diag, -ENOENT,
				   "%s:%d: The metric %s uses '%s', which is no metric, and not in "
				   "its events",
				   check->def->origin, check->def->line, check->def->name, name);
	if (deeper.level > LEVELS_MAX || ++*check->nr_names > NAMES_MAX)
		return xp_diag_set(check->diag, -ELOOP,
				   "%s:%d: The metric %s needs itself, or too many others",
				   check->def->origin, check->def->line, check->def->name);
	return check_metric(&deeper);
}

static int check_metric(const struct check *check)
{
	struct check formula = *check;

	formula.is_threshold = false;
	return xp_formula_walk(check->def->formula, NULL, check_name, &formula);
}

int xp_metric_defs_check(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
			 struct xp_diag *diag)
{
	int nr_names = 0;
	struct check check = { .defs = defs, .def = def, .diag = diag, .nr_names = &nr_names };
	int err = check_metric(&check);

	check.is_threshold = true;
	if (!err && def->threshold)
		err = xp_formula_walk(def->threshold, NULL, check_name, &check);
	return err;
}
