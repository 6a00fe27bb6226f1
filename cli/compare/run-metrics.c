/* SPDX-License-Identifier: MIT */
/* From what one run gave to one number for each metric. Counts, and metrics by name, are those of
 * stat's table. */
#include "run-metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/metric.h>
#include <xperf/stat.h>

#include "stat/plan/named.h"

static const struct {
	const char *name;
	enum metric_kind kind;
	bool is_time;
} fixed[METRIC_NR_FIXED] = {
	[METRIC_WALL] = { "wall", METRIC_SECONDS, true },
	[METRIC_USER] = { "user", METRIC_SECONDS, true },
	[METRIC_SYSTEM] = { "sys", METRIC_SECONDS, true },
	[METRIC_MAX_RSS] = { "max-rss", METRIC_BYTES, false },
};

static bool set_metric(struct metric *metric, const char *name, const char *unit)
{
	metric->name = strdup(name);
	metric->unit = strdup(unit);
	return metric->name && metric->unit;
}

/* Clocks count milliseconds. */
static bool is_clock(const struct stat_row *row)
{
	return !strcmp(xp_evsel_unit(row->evsel), "msec");
}

/* A name is given once: an event can be in the groups of several metrics. */
static struct metric *add(struct metrics *metrics, const char *name)
{
	return metrics_find(metrics, name) < 0 ? &metrics->at[metrics->nr++] : NULL;
}

static bool add_fixed(struct metrics *metrics, int i)
{
	struct metric *metric = add(metrics, fixed[i].name);

	metric->kind = fixed[i].kind;
	metric->is_time = fixed[i].is_time;
	return set_metric(metric, fixed[i].name, "");
}

static bool add_row(struct metrics *metrics, int i)
{
	const struct stat_row *row = &metrics->table.rows[i];
	struct metric *metric = add(metrics, row->name);

	if (!metric)
		return true;
	*metric = (struct metric){ .kind = METRIC_COUNT, .is_time = is_clock(row), .source = i };
	return set_metric(metric, row->name, xp_evsel_unit(row->evsel));
}

static bool add_named(struct metrics *metrics, int i)
{
	const struct xp_metric_def *def = stat_table_named(&metrics->table, i);
	struct metric *metric = add(metrics, def->name);

	if (!metric)
		return true;
	*metric = (struct metric){ .kind = METRIC_COUNT, .source = metrics->table.nr_rows + i };
	return set_metric(metric, def->name, def->unit);
}

static int add_all(struct metrics *metrics)
{
	int nr_rows = metrics->table.nr_rows, nr_named = stat_table_nr_named(&metrics->table);
	bool ok = true;

	metrics->at = calloc((size_t)(METRIC_NR_FIXED + nr_rows + nr_named), sizeof(*metrics->at));
	if (!metrics->at)
		return -ENOMEM;
	for (int i = 0; ok && i < METRIC_NR_FIXED; i++)
		ok = add_fixed(metrics, i);
	for (int i = 0; ok && i < nr_rows; i++)
		ok = add_row(metrics, i);
	for (int i = 0; ok && i < nr_named; i++)
		ok = add_named(metrics, i);
	return ok ? 0 : -ENOMEM;
}

static int plan_table(struct metrics *metrics, const struct stat_job *job)
{
	struct xp_cpus *cpus = NULL;
	struct xp_threads *threads = NULL;
	int err = 0;

	if (job->config->null_run)
		err = xp_cpus_any(&cpus) ?: xp_threads_any(&threads);
	if (!err)
		err = xp_aggr_new(
			job->ctx, XP_AGGR_GLOBAL, cpus ? cpus : xp_evlist_cpus(job->evlist),
			threads ? threads : xp_evlist_threads(job->evlist), &metrics->aggr);
	xp_cpus_unref(cpus);
	xp_threads_unref(threads);
	if (!err)
		err = stat_table_init(&metrics->table, job->evlist, metrics->aggr);
	if (!err && job->metrics)
		err = stat_table_set_metrics(&metrics->table, job->metrics);
	if (!err)
		stat_table_finish(&metrics->table);
	return err;
}

int metrics_plan(struct metrics *metrics, const struct stat_job *job, struct xp_diag *diag)
{
	if (metrics->is_planned)
		return 0;
	int err = plan_table(metrics, job) ?: add_all(metrics);
	if (err)
		return xp_diag_set(diag, err, "The table cannot be prepared: %s", strerror(-err));
	metrics->is_planned = true;
	return 0;
}

static double read_row(struct metrics *metrics, const struct stat_row *row)
{
	if (row->state != ROW_COUNTED)
		return NAN;
	metrics->nr_multiplexed += row->running_ns < row->enabled_ns;
	return row->value;
}

/* There is one row of CPUs and threads. */
static double read_named(struct metric *metric, const struct named_value *value)
{
	if (!value->is_known && !metric->reason)
		metric->reason = strdup(value->reason);
	return value->is_known ? value->value : NAN;
}

void metrics_read(struct metrics *metrics, const struct stat_result *result, double *values)
{
	struct stat_table *table = &metrics->table;
	uint64_t rss_bytes = (uint64_t)result->usage.ru_maxrss * 1024;
	bool knows_rss = rss_bytes > metrics->least_rss_bytes;

	values[METRIC_WALL] = (double)result->wall_ns / 1e9;
	values[METRIC_USER] = (double)result->exit.user_ns / 1e9;
	values[METRIC_SYSTEM] = (double)result->exit.system_ns / 1e9;
	values[METRIC_MAX_RSS] = knows_rss ? (double)rss_bytes : NAN;
	stat_table_reset(table);
	stat_table_add(table, result->counts, result->wall_ns, true);
	stat_table_finish(table);
	for (size_t i = METRIC_NR_FIXED; i < metrics->nr; i++) {
		struct metric *metric = &metrics->at[i];
		int named = metric->source - table->nr_rows;

		values[i] = named < 0 ? read_row(metrics, &table->rows[metric->source])
				      : read_named(metric, &table->named_values[named]);
	}
}

void metrics_fini(struct metrics *metrics)
{
	for (size_t i = 0; metrics->at && i < metrics->nr; i++) {
		free(metrics->at[i].name);
		free(metrics->at[i].unit);
		free(metrics->at[i].reason);
	}
	free(metrics->at);
	stat_table_fini(&metrics->table);
	xp_aggr_free(metrics->aggr);
	*metrics = (struct metrics){ 0 };
}

const char *metric_unit(const struct metric *metric)
{
	switch (metric->kind) {
	case METRIC_SECONDS:
		return "s";
	case METRIC_BYTES:
		return "byte";
	default:
		return metric->unit;
	}
}

int metrics_find(const struct metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->nr; i++)
		if (!strcmp(metrics->at[i].name, name))
			return (int)i;
	return -1;
}
