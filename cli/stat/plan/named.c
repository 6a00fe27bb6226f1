/* SPDX-License-Identifier: MIT */
/* Metrics by name: what was asked for, and the value of one. */
#include "named.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/formula.h>
#include <xperf/metric.h>
#include <xperf/stat.h>

#include "compat.h"
#include "smi.h"

/* The levels there are, and the groups of their metrics. */
static const char *const topdown_groups[] = { NULL, "TopdownL1", "TopdownL2" };

enum { TOPDOWN_LEVELS = sizeof(topdown_groups) / sizeof(topdown_groups[0]) - 1 };

/* The processor has the events, or the reason why it has not. */
static int check_topdown(struct named_metrics *named, struct xp_diag *diag)
{
	const struct metric_fact *fact = metric_fact_of(&named->machine, "topdown-retiring");

	if (!fact)
		return -ENOMEM;
	if (!fact->err)
		return 0;
	xp_diag_set(diag, -EOPNOTSUPP, "--topdown: the top-down events cannot be counted: %s",
		    fact->reason);
	xp_diag_hint(diag, "'xperf list metric' lists the metrics that this machine has");
	return -EOPNOTSUPP;
}

static int choose_topdown(struct named_metrics *named, int level, struct xp_diag *diag)
{
	int err = check_topdown(named, diag);

	for (int i = 1; i <= level && i <= TOPDOWN_LEVELS && !err; i++)
		err = metrics_choose(named->defs, topdown_groups[i], &named->choices, diag);
	return err;
}

/* perf 7 prints some shares without a factor, and the instructions with their name as the unit. */
static void rescale(struct named_metrics *named, int choice, const char *unit)
{
	struct xp_metric_def *def = &named->rescaled[choice];

	*def = *named->choices.at[choice].def;
	def->unit = unit;
	def->scale = 1;
	named->choices.at[choice].def = def;
}

/* Metrics of @detailed times -d. What this machine cannot count is left out. */
static int choose_default(struct named_metrics *named, int detailed, struct xp_diag *diag)
{
	struct metric_choices *choices = &named->choices;
	int err = 0;

	for (const struct compat_metric *metric = compat_metrics; metric->name && !err; metric++)
		if (metric->detailed <= detailed)
			err = metrics_choose(named->defs, metric->name, choices, diag);
	named->rescaled = calloc((size_t)choices->nr + 1, sizeof(*named->rescaled));
	if (!err && !named->rescaled)
		err = -ENOMEM;
	for (int i = 0; i < choices->nr && !err; i++) {
		const struct compat_metric *metric = compat_metric_find(choices->at[i].def->name);

		choices->at[i].by_name = metric && metric->is_always;
		if (metric && metric->unit)
			rescale(named, i, metric->unit);
	}
	return err;
}

static int find_cpus(struct xp_ctx *ctx, const struct stat_config *config,
		     struct xp_cpus **ret_cpus, struct xp_diag *diag)
{
	if (config->target.cpu_list)
		return xp_cpus_parse(config->target.cpu_list, ret_cpus, diag);
	return config->target.system_wide ? xp_cpus_online(ctx, ret_cpus, diag) : 0;
}

int named_metrics_init(struct named_metrics *named, struct xp_ctx *ctx,
		       const struct stat_config *config, struct xp_diag *diag)
{
	int err;

	*named = (struct named_metrics){ .machine = { .ctx = ctx },
					 .has_thresholds = !config->metric_no_threshold,
					 .is_default = stat_config_has_default_metrics(config) };
	err = find_cpus(ctx, config, &named->cpus, diag);
	if (err)
		return err;
	named->machine.cpus = named->cpus;
	err = metrics_load(&named->defs, diag);
	for (int i = 0; i < config->nr_metrics && !err; i++)
		err = metrics_choose(named->defs, config->metrics[i], &named->choices, diag);
	if (!err && config->smi_cost)
		err = metrics_choose(named->defs, SMI_METRICS, &named->choices, diag);
	if (!err && config->topdown)
		err = choose_topdown(named, config->td_level ? config->td_level : 1, diag);
	if (!err && named->is_default)
		err = choose_default(named, config->detailed, diag);
	return err == -ENOMEM ? xp_diag_set(diag, err, "Out of memory") : err;
}

void named_metrics_fini(struct named_metrics *named)
{
	for (int i = 0; i < named->nr; i++) {
		for (int e = 0; e < named->at[i].nr_events; e++)
			free(named->at[i].events[e].name);
		free(named->at[i].events);
	}
	free(named->at);
	metric_choices_fini(&named->choices);
	free(named->rescaled);
	metric_machine_fini(&named->machine);
	xp_metric_defs_free(named->defs);
	xp_cpus_unref(named->cpus);
	*named = (struct named_metrics){ 0 };
}

/* --- values --- */

struct asked {
	const struct named_metrics *named;
	const struct named_metric *metric;
	const struct xp_metric_def *def; /* the formula is its */
	const double *own;               /* in a threshold: the value of the metric itself */
	int (*total)(int event, double *ret_value, struct xp_diag *diag, void *data);
	void *data;
};

static int event_value(const struct asked *asked, const char *name, double *ret_value,
		       struct xp_diag *diag)
{
	const struct named_metric *metric = asked->metric;

	for (int i = 0; i < metric->nr_events; i++)
		if (!strcmp(metric->events[i].name, name))
			return asked->total(metric->events[i].event, ret_value, diag, asked->data);
	return xp_diag_set(diag, -ENODATA, "%s is not counted", name);
}

static int value_of(enum xp_formula_use use, const char *name, double *ret_value,
		    struct xp_diag *diag, void *data)
{
	const struct asked *asked = data;
	struct asked other = *asked;

	if (use != XP_FORMULA_VALUE) {
		/* Its answers are kept: asking changes nothing that is seen. */
		struct metric_machine *machine = (struct metric_machine *)&asked->named->machine;

		return metric_known(use, name, ret_value, diag, machine);
	}
	if (xp_metric_def_has_event(asked->def, name))
		return event_value(asked, name, ret_value, diag);
	if (asked->own && !strcmp(asked->def->name, name)) {
		*ret_value = *asked->own;
		return 0;
	}
	other.def = xp_metric_defs_find(asked->named->defs, name);
	other.own = NULL;
	return xp_formula_eval(other.def->formula, value_of, ret_value, diag, &other);
}

static enum named_threshold threshold_of(struct asked *asked, const double *own)
{
	double value;

	if (!asked->named->has_thresholds || !asked->def->threshold)
		return THRESHOLD_NONE;
	asked->own = own;
	if (xp_formula_eval(asked->def->threshold, value_of, &value, NULL, asked))
		return THRESHOLD_UNKNOWN;
	return value != 0 ? THRESHOLD_BAD : THRESHOLD_GOOD;
}

void named_value(const struct named_metrics *named, const struct named_metric *metric,
		 int (*total)(int event, double *ret_value, struct xp_diag *diag, void *data),
		 void *data, struct named_value *ret)
{
	struct asked asked = { named, metric, metric->def, NULL, total, data };
	struct xp_diag diag = { 0 };
	double value;

	*ret = (struct named_value){ .is_known = false };
	if (xp_formula_eval(metric->def->formula, value_of, &value, &diag, &asked)) {
		if (diag.pos >= 0 && diag.err == -EDOM)
			snprintf(ret->reason, sizeof(ret->reason), "%.40s in %.150s", diag.what,
				 diag.input);
		else
			snprintf(ret->reason, sizeof(ret->reason), "%.199s", diag.what);
		return;
	}
	ret->is_known = true;
	ret->value = value * metric->def->scale;
	ret->threshold = threshold_of(&asked, &value);
}
