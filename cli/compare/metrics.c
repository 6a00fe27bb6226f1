/* SPDX-License-Identifier: MIT */
/* From what one run gave to one number for each metric. Counts are those of stat's table. */
#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int add_rows(struct metrics *metrics)
{
	struct stat_table *table = &metrics->table;

	metrics->nr = METRIC_NR_FIXED + (size_t)table->nr_rows;
	metrics->at = calloc(metrics->nr, sizeof(*metrics->at));
	if (!metrics->at)
		return -ENOMEM;
	for (size_t i = 0; i < metrics->nr; i++) {
		const struct stat_row *row =
			i < METRIC_NR_FIXED ? NULL : &table->rows[i - METRIC_NR_FIXED];
		struct metric *metric = &metrics->at[i];

		metric->kind = row ? METRIC_COUNT : fixed[i].kind;
		metric->is_time = row ? is_clock(row) : fixed[i].is_time;
		if (!set_metric(metric, row ? row->name : fixed[i].name,
				row ? xp_evsel_unit(row->evsel) : ""))
			return -ENOMEM;
	}
	return 0;
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
	if (!err)
		stat_table_finish(&metrics->table);
	return err;
}

int metrics_plan(struct metrics *metrics, const struct stat_job *job, struct xp_diag *diag)
{
	if (metrics->is_planned)
		return 0;
	int err = plan_table(metrics, job) ?: add_rows(metrics);
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
	for (size_t i = METRIC_NR_FIXED; i < metrics->nr; i++)
		values[i] = read_row(metrics, &table->rows[i - METRIC_NR_FIXED]);
}

void metrics_fini(struct metrics *metrics)
{
	for (size_t i = 0; metrics->at && i < metrics->nr; i++) {
		free(metrics->at[i].name);
		free(metrics->at[i].unit);
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
