/* SPDX-License-Identifier: MIT */
/* Stored runs as commands that are compared and not run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "measure.h"
#include "vec.h"

static bool is_wanted(const struct stored_run *run, const char *name)
{
	return !name || !strcmp(run->name, name) || !strcmp(run->command, name);
}

static int add(struct contenders *all, const struct stored_run *run, struct xp_diag *diag)
{
	if (vec_add(&all->at, all->nr, sizeof(*all->at)))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	struct contender *c = &all->at[all->nr++];
	*c = (struct contender){ .name = strdup(run->name),
				 .text = strdup(run->command),
				 .stored = run };
	all->nr_stored++;
	return c->name && c->text ? 0 : xp_diag_set(diag, -ENOMEM, "Out of memory");
}

int contenders_import(struct contenders *contenders, const struct compare_config *config,
		      struct xp_diag *diag)
{
	const struct stored_runs *stored = &contenders->stored;

	if (!config->import)
		return 0;
	int err = stored_read(&contenders->stored, config->import, diag);
	for (size_t i = 0; !err && i < stored->nr; i++)
		if (is_wanted(&stored->at[i], config->import_name))
			err = add(contenders, &stored->at[i], diag);
	if (err || contenders->nr)
		return err;
	xp_diag_set(diag, -ENOENT, "%s has no command '%s'", config->import, config->import_name);
	xp_diag_hint(diag, "Its first command is '%s'", stored->at[0].name);
	return -ENOENT;
}

static int fill(const struct metrics *metrics, struct contender *c)
{
	const struct stored_run *run = c->stored;
	double *values = calloc(run->nr_runs, metrics->nr * sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t metric = 0; metric < metrics->nr; metric++) {
		const struct metric *of = &metrics->at[metric];
		const double *from = stored_find(run, of->name, metric_unit(of));

		for (size_t i = 0; i < run->nr_runs; i++)
			values[i * metrics->nr + metric] = from ? from[i] : NAN;
	}
	c->values = values;
	c->nr_runs = run->nr_runs;
	return 0;
}

int import_values(struct measurement *m)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->contenders.nr_stored; i++)
		if (!m->contenders.at[i].values)
			err = fill(&m->metrics, &m->contenders.at[i]);
	return err;
}
