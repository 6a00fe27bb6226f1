/* SPDX-License-Identifier: MIT */
/* From the texts of a metric's fields to what they mean. */
#include "defs-impl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/formula.h>

#include "str.h"

const struct metric_field xp_metric_fields[NR_FIELDS] = {
	[FIELD_METRIC] = { "metric", true },        [FIELD_GROUPS] = { "groups", false },
	[FIELD_BRIEF] = { "brief", true },          [FIELD_EVENTS] = { "events", false },
	[FIELD_FORMULA] = { "formula", true },      [FIELD_UNIT] = { "unit", false },
	[FIELD_THRESHOLD] = { "threshold", false }, [FIELD_TEXT] = { "text", false },
};

struct completion {
	struct xp_metric_defs *defs; /* of the file */
	const char *origin;
	struct xp_diag *diag;
};

static int wrong(const struct completion *c, const struct metric *metric, const char *what)
{
	return xp_diag_set(c->diag, -EINVAL, "%s:%d: %s", c->origin, metric->def.line, what);
}

static int no_memory(const struct completion *c)
{
	return xp_diag_set(c->diag, -ENOMEM, "Out of memory");
}

/* "100%": the factor and the unit; "faults/sec": the unit alone. */
static int parse_unit(const struct completion *c, struct metric *metric)
{
	const char *text = metric->values[FIELD_UNIT] ? metric->values[FIELD_UNIT] : "";
	size_t len = strspn(text, "0123456789.");
	double digits = 0, divisor = 1;
	bool after_point = false;

	metric->def.scale = 1;
	metric->def.unit = text + len;
	if (!len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.' && after_point)
			return wrong(c, metric, "The unit begins with a wrong number");
		if (text[i] == '.') {
			after_point = true;
			continue;
		}
		digits = digits * 10 + (text[i] - '0');
		divisor *= after_point ? 10 : 1;
	}
	metric->def.scale = digits / divisor;
	if (metric->def.scale > 0 && isfinite(metric->def.scale))
		return 0;
	return wrong(c, metric, "The unit begins with a number that is no factor");
}

static int parse_formula(const struct completion *c, const struct metric *metric, enum field field,
			 struct xp_formula **ret_formula)
{
	struct xp_diag inner = { 0 };
	char what[sizeof(inner.what)];
	int err;

	if (!metric->values[field])
		return 0;
	err = xp_formula_parse(metric->values[field], ret_formula, &inner);
	if (err == -ENOMEM)
		return no_memory(c);
	if (!err || !c->diag)
		return err ? -EINVAL : 0;
	snprintf(what, sizeof(what), "%s", inner.what);
	xp_diag_set(c->diag, -EINVAL, "%s:%d: The %s of %s is wrong: %.200s", c->origin,
		    metric->def.line, xp_metric_fields[field].name, metric->values[FIELD_METRIC],
		    what);
	if (inner.input[0])
		xp_diag_at(c->diag, inner.input, inner.pos, inner.len);
	return -EINVAL;
}

/* The group it was found in, and those it names. */
static int join_groups(const struct completion *c, struct metric *metric)
{
	const char *named = metric->values[FIELD_GROUPS], *at = named;
	struct xp_str groups = { 0 };
	size_t len;

	if (metric->groups) {
		xp_str_add(&groups, metric->groups, strlen(metric->groups));
		free(metric->groups);
	}
	for (; named && (len = xp_metric_word(&at)); at += len) {
		if (groups.len)
			xp_str_add(&groups, " ", 1);
		xp_str_add(&groups, at, len);
		if (!xp_metric_group_get(c->defs, at, len))
			groups.failed = true;
	}
	xp_str_add(&groups, "", 0);
	metric->groups = groups.failed ? NULL : strdup(xp_str_text(&groups));
	xp_str_fini(&groups);
	return metric->groups ? 0 : no_memory(c);
}

static const char *text_of(const struct metric *metric, enum field field)
{
	return metric->values[field] ? metric->values[field] : "";
}

int xp_metric_complete(struct metric *metric, struct xp_metric_defs *defs, const char *origin,
		       struct xp_diag *diag)
{
	const struct completion completion = { defs, origin, diag }, *c = &completion;
	struct xp_metric_def *def = &metric->def;
	int err = parse_unit(c, metric)
			  ?: parse_formula(c, metric, FIELD_FORMULA, &metric->formula)
				     ?: parse_formula(c, metric, FIELD_THRESHOLD,
						      &metric->threshold);

	if (!err)
		err = join_groups(c, metric);
	if (err)
		return err;
	metric->origin = strdup(c->origin);
	if (!metric->origin)
		return no_memory(c);
	def->name = metric->values[FIELD_METRIC];
	def->groups = metric->groups;
	def->brief = text_of(metric, FIELD_BRIEF);
	def->text = text_of(metric, FIELD_TEXT);
	def->events = text_of(metric, FIELD_EVENTS);
	def->formula_text = text_of(metric, FIELD_FORMULA);
	def->threshold_text = text_of(metric, FIELD_THRESHOLD);
	def->origin = metric->origin;
	def->formula = metric->formula;
	def->threshold = metric->threshold;
	return 0;
}
