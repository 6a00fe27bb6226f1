/* SPDX-License-Identifier: MIT */
/* What metrics need of the machine: which events it has, and values of literals. */
#include "metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/formula.h>
#include <xperf/metric.h>

#include "cli.h"
#include "vec.h"

static void set_reason(struct metric_fact *fact, int err, const char *text)
{
	fact->err = err;
	snprintf(fact->reason, sizeof(fact->reason), "%.199s", text);
}

/* Where it is tried: on the CPUs that are counted, or in this task. */
static int open_on(struct metric_machine *machine, struct xp_evlist *evlist, struct xp_diag *diag)
{
	struct xp_open_opts opts = { .size = sizeof(opts), .cpus = machine->cpus };
	int err = machine->cpus ? 0 : xp_threads_one(machine->ctx, 0, &opts.threads);

	if (!err)
		err = xp_evlist_open(evlist, &opts, diag);
	xp_threads_unref(opts.threads);
	return err;
}

static void read_value(struct xp_evlist *evlist, struct metric_fact *fact)
{
	struct xp_tool_times times = { 0 };
	struct xp_counts *counts;
	int err = xp_counts_new(xp_evlist_nr(evlist), xp_cpus_nr(xp_evlist_cpus(evlist)),
				xp_threads_nr(xp_evlist_threads(evlist)), &counts);

	if (err) {
		set_reason(fact, err, "out of memory");
		return;
	}
	err = xp_evlist_read(evlist, &times, counts);
	if (err)
		set_reason(fact, err, strerror(-err));
	else
		fact->value = (double)xp_counts_at(counts, 0, 0, 0)->value;
	xp_counts_free(counts);
}

/* One name can mean several events: one that can be counted is enough. */
static void learn_support(struct xp_evlist *evlist, struct metric_fact *fact)
{
	struct wording buf;

	fact->nr_sources = 0;
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		fact->nr_sources += xp_evsel_support(xp_evlist_at(evlist, i)) != XP_NOT_SUPPORTED;
	if (!fact->nr_sources)
		set_reason(fact, -ENOENT,
			   cli_words(xp_evsel_reason(xp_evlist_at(evlist, 0)), &buf));
}

static void learn(struct metric_machine *machine, struct metric_fact *fact)
{
	bool is_literal = fact->name[0] == '#';
	struct xp_diag diag = { 0 };
	struct xp_evlist *evlist;
	int err = xp_evlist_new(machine->ctx, &evlist);

	if (err) {
		set_reason(fact, err, "out of memory");
		return;
	}
	err = xp_evlist_parse(evlist, fact->name + is_literal, &diag);
	fact->is_event = !err;
	fact->nr_events = xp_evlist_nr(evlist);
	for (int i = 0; !err && i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		fact->always_fits =
			xp_evsel_is_software(evsel) || xp_evsel_tool(evsel) != XP_TOOL_NONE;
	}
	if (!err)
		err = open_on(machine, evlist, &diag);
	if (err)
		set_reason(fact, err, diag.what);
	else
		learn_support(evlist, fact);
	if (!fact->err && is_literal)
		read_value(evlist, fact);
	xp_evlist_close_behind(evlist);
	xp_evlist_free(evlist);
}

const struct metric_fact *metric_fact_of(struct metric_machine *machine, const char *name)
{
	struct metric_fact *fact;

	for (int i = 0; i < machine->nr_facts; i++)
		if (!strcmp(machine->facts[i].name, name))
			return &machine->facts[i];
	if (vec_add(&machine->facts, (size_t)machine->nr_facts, sizeof(*fact)))
		return NULL;
	fact = &machine->facts[machine->nr_facts];
	*fact = (struct metric_fact){ .name = strdup(name) };
	if (!fact->name)
		return NULL;
	machine->nr_facts++;
	learn(machine, fact);
	return fact;
}

void metric_machine_fini(struct metric_machine *machine)
{
	for (int i = 0; i < machine->nr_facts; i++)
		free(machine->facts[i].name);
	free(machine->facts);
	machine->facts = NULL;
	machine->nr_facts = 0;
}

int metric_known(enum xp_formula_use use, const char *name, double *ret_value, struct xp_diag *diag,
		 void *data)
{
	const struct metric_fact *fact;

	if (use == XP_FORMULA_VALUE)
		return -ENODATA;
	fact = metric_fact_of(data, name);
	if (!fact)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	if (use == XP_FORMULA_LITERAL && fact->err)
		return xp_diag_set(diag, -ENODATA, "%s is not known: %s", name, fact->reason);
	*ret_value = use == XP_FORMULA_LITERAL     ? fact->value
		     : use == XP_FORMULA_HAS_EVENT ? !fact->err
						   : fact->nr_sources;
	return 0;
}

struct needs {
	const struct xp_metric_defs *defs;
	const struct xp_metric_def *def;
	struct metric_machine *machine;
	int (*fn)(const char *event, void *data);
	void *data;
};

static int known_of_needs(enum xp_formula_use use, const char *name, double *ret_value,
			  struct xp_diag *diag, void *data)
{
	const struct needs *needs = data;

	return metric_known(use, name, ret_value, diag, needs->machine);
}

static int need(enum xp_formula_use use, const char *name, void *data)
{
	const struct needs *needs = data;

	if (use != XP_FORMULA_VALUE)
		return 0;
	if (xp_metric_def_has_event(needs->def, name))
		return needs->fn(name, needs->data);
	return metric_needs(needs->defs, xp_metric_defs_find(needs->defs, name), needs->machine,
			    needs->fn, needs->data);
}

int metric_needs(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
		 struct metric_machine *machine, int (*fn)(const char *event, void *data),
		 void *data)
{
	struct needs needs = { defs, def, machine, fn, data };

	return xp_formula_walk(def->formula, known_of_needs, need, &needs);
}
