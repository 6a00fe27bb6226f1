/* SPDX-License-Identifier: MIT */
/*
 * Metrics of a table: those of its events, those by name, and the lines of --metric-only. Which
 * metrics of events --metric-only prints, and how it names them: perf 6.1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/metric.h>

#include "cli.h"
#include "iostat.h"
#include "named.h"
#include "stat-table-impl.h"
#include "vec.h"

/* --- metrics by name --- */

/* The largest number of metrics beside one event. */
static int most_beside(const struct named_metrics *named)
{
	int most = 0;

	for (int i = 0; named && i < named->nr; i++) {
		int nr = 0;

		for (int k = 0; k < named->nr; k++)
			nr += named->at[k].owner == named->at[i].owner;
		most = nr > most ? nr : most;
	}
	return most;
}

int stat_table_set_metrics(struct stat_table *table, const struct named_metrics *named)
{
	size_t nr_aggregates = (size_t)xp_aggr_nr(table->aggr);
	size_t nr_cells = nr_aggregates * (size_t)xp_evlist_nr(table->evlist);

	free(table->row_metrics); /* as it was made without any */
	table->named = named;
	table->row_metrics_max = XP_METRICS_PER_EVENT_MAX + most_beside(named);
	if (nr_cells)
		table->row_metrics = calloc(nr_cells * (size_t)table->row_metrics_max,
					    sizeof(*table->row_metrics));
	if (named)
		table->named_values =
			calloc(nr_aggregates * (size_t)named->nr + 1, sizeof(*table->named_values));
	return (nr_cells && !table->row_metrics) || (named && !table->named_values) ? -ENOMEM : 0;
}

/* Where the count of an event is: what xperf measures itself is not divided among aggregates. */
struct place {
	const struct stat_table *table;
	int aggregate;
};

static bool is_time(const struct xp_evsel *evsel)
{
	return xp_evsel_tool(evsel) != XP_TOOL_NONE && !xp_evsel_is_snapshot(evsel);
}

/* From raw counts to what formulas have: seconds of times, nanoseconds of clocks, units of PMUs. */
static double factor_of(const struct xp_evsel *evsel)
{
	if (is_time(evsel))
		return 1e-9;
	return xp_evsel_is_software(evsel) ? 1 : xp_evsel_scale(evsel);
}

/* The sum over the events that a name stands for. */
static int total_of(int event, double *ret_value, struct xp_diag *diag, void *data)
{
	const struct place *place = data;
	const struct stat_table *table = place->table;
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);
	bool is_tool = xp_evsel_tool(evsel) != XP_TOOL_NONE, is_counted = false;
	struct wording buf;
	double sum = 0;

	for (int i = event; i < xp_evlist_nr(table->evlist); i++) {
		const struct xp_evsel *part = xp_evlist_at(table->evlist, i);
		const struct stat_cell *cell = table_cell(table, is_tool ? 0 : place->aggregate, i);

		if (i != event && xp_evsel_merged_into(part) != evsel)
			continue;
		/* Unless they have rows of their own, the first one's cell has the sum already. */
		if (i != event && stat_table_has_event(table, i) == false)
			continue;
		is_counted |= cell->counts.n > 0;
		sum += cell->counts.mean;
	}
	if (is_counted) {
		*ret_value = sum * factor_of(evsel);
		return 0;
	}
	const char *reason = cli_words(xp_evsel_reason(evsel), &buf);
	return xp_diag_set(diag, -ENODATA, "%s was not counted%s%s", xp_evsel_own_name(evsel),
			   *reason ? ": " : "", reason);
}

void table_fill_named(struct stat_table *table, int aggregate)
{
	struct place place = { table, aggregate };
	int nr = table->named ? table->named->nr : 0;

	for (int i = 0; i < nr; i++)
		named_value(table->named, &table->named->at[i], total_of, &place,
			    &table->named_values[(size_t)aggregate * (size_t)nr + (size_t)i]);
}

int stat_table_nr_named(const struct stat_table *table)
{
	return table->named ? table->named->nr : 0;
}

const struct xp_metric_def *stat_table_named(const struct stat_table *table, int metric)
{
	return table->named->at[metric].def;
}

static const struct named_value *value_at(const struct stat_table *table, int aggregate, int metric)
{
	return &table->named_values[(size_t)aggregate * (size_t)table->named->nr + (size_t)metric];
}

const char *stat_table_named_reason(const struct stat_table *table, int metric)
{
	for (int i = 0; i < xp_aggr_nr(table->aggr); i++)
		if (!value_at(table, i, metric)->is_known && value_at(table, i, metric)->reason[0])
			return value_at(table, i, metric)->reason;
	return NULL;
}

bool stat_table_named_is_bad(const struct stat_table *table, int metric)
{
	for (int i = 0; i < xp_aggr_nr(table->aggr); i++)
		if (value_at(table, i, metric)->threshold == THRESHOLD_BAD)
			return true;
	return false;
}

static const char *const threshold_names[] = {
	[THRESHOLD_NONE] = NULL,
	[THRESHOLD_GOOD] = "good",
	[THRESHOLD_BAD] = "bad",
	[THRESHOLD_UNKNOWN] = "unknown",
};

/* Width and digits: perf 6.1. */
static struct row_metric named_metric(const struct stat_table *table, int aggregate, int i)
{
	const struct named_metric *metric = &table->named->at[i];
	const struct named_value *value = value_at(table, aggregate, i);
	bool has_unit = metric->def->unit[0];

	return (struct row_metric){
		.shown = { .value = value->is_known ? value->value : 0,
			   .unit = metric->unit,
			   .suffix = "",
			   .width = 8,
			   .precision = has_unit ? 1 : 2,
			   .level = value->threshold == THRESHOLD_BAD ? XP_METRIC_RED
								      : XP_METRIC_NORMAL },
		.def = metric->def,
		.threshold = threshold_names[value->threshold],
		.reason = value->is_known ? NULL : value->reason,
	};
}

/* Events that were added for metrics show nothing else. */
static bool is_for_metrics(const struct stat_table *table, int event)
{
	for (int i = 0; table->named && i < table->named->nr; i++)
		for (int e = 0; e < table->named->at[i].nr_events; e++)
			if (table->named->at[i].events[e].event == event)
				return true;
	return false;
}

static bool has_metric(const struct stat_table *table, int event)
{
	for (int i = 0; table->named && i < table->named->nr; i++) {
		int after_owner = event - table->named->at[i].owner;

		if (after_owner >= 0 && after_owner < table->named->at[i].nr_owners)
			return true;
	}
	return false;
}

static bool has_own_metrics(const struct stat_table *table, int event)
{
	return !table->no_own_metrics && !is_for_metrics(table, event);
}

void table_fill_metrics(struct stat_table *table, int aggregate, int event, struct stat_row *row)
{
	struct xp_metric own[XP_METRICS_PER_EVENT_MAX];
	size_t cell = (size_t)aggregate * (size_t)xp_evlist_nr(table->evlist) + (size_t)event;
	int nr = 0;

	row->nr_metrics = 0;
	row->metrics = NULL;
	row->group = NULL;
	row->of_metric = has_metric(table, event);
	if (!table->row_metrics)
		return;
	row->metrics = &table->row_metrics[cell * (size_t)table->row_metrics_max];
	if (row->state == ROW_COUNTED && has_own_metrics(table, event))
		nr = xp_metrics_of(table->metrics, table->totals, event, table->elapsed.mean * 1e9,
				   own);
	for (int i = 0; i < nr; i++)
		row->metrics[row->nr_metrics++] = (struct row_metric){ .shown = own[i] };
	for (int i = 0; table->named && i < table->named->nr; i++) {
		if (table->named->at[i].owner != event)
			continue;
		struct row_metric metric = named_metric(table, aggregate, i);

		metric.shown.own_line = row->nr_metrics > 0;
		row->group = table->named->at[i].group;
		row->metrics[row->nr_metrics++] = metric;
	}
}

/* --- --metric-only --- */

/* Rates depend on how long was counted; they are not shown alone. */
static bool is_column(const char *unit)
{
	return !strstr(unit, "/sec") && strcmp(unit, "CPUs utilized") != 0;
}

static int add_column(struct stat_table *table, const struct metric_column *column)
{
	const char *name = stat_table_name(table, column->event);
	bool is_share = column->metric < 0 && !strncmp(column->unit, "of all", strlen("of all"));
	int len;

	if (vec_add(&table->columns, (size_t)table->nr_columns, sizeof(*table->columns)))
		return -ENOMEM;
	table->columns[table->nr_columns] = *column;
	len = asprintf(&table->columns[table->nr_columns].title, "%s%s%s", is_share ? name : "",
		       is_share ? " " : "", column->unit);
	if (len < 0)
		return -ENOMEM;
	table->nr_columns++;
	return 0;
}

static int add_named_columns(struct stat_table *table)
{
	int err = 0;

	for (int i = 0; table->named && i < table->named->nr && !err; i++) {
		const struct named_metric *metric = &table->named->at[i];
		struct metric_column column = { .event = metric->owner,
						.metric = i,
						.unit = metric->unit };

		err = add_column(table, &column);
	}
	return err;
}

/* Which metrics an event has does not depend on its count. */
static int add_columns_of(struct stat_table *table, int event)
{
	struct xp_metric own[XP_METRICS_PER_EVENT_MAX];
	int nr = 0, err = 0;

	for (int i = 0; i < xp_evlist_nr(table->evlist); i++)
		table->totals[i] = (struct xp_total){ 1, 1, 1, 1 };
	if (has_own_metrics(table, event) && stat_table_has_event(table, event))
		nr = xp_metrics_of(table->metrics, table->totals, event, 1e9, own);
	for (int i = 0; i < nr && !err; i++) {
		struct metric_column column = { .event = event, .metric = -1, .unit = own[i].unit };

		if (is_column(column.unit))
			err = add_column(table, &column);
	}
	return err;
}

static int add_metric_columns(struct stat_table *table)
{
	int err = 0;

	for (int event = 0; event < xp_evlist_nr(table->evlist) && !err; event++)
		err = add_columns_of(table, event);
	return err ? err : add_named_columns(table);
}

static int add_port_columns(struct stat_table *table)
{
	int err = 0;

	for (int i = 0; i < IOSTAT_COLUMNS && !err; i++)
		err = add_column(table,
				 &(struct metric_column){ .metric = -1, .unit = iostat_titles[i] });
	return err;
}

int stat_table_metric_columns(struct stat_table *table)
{
	int nr = table->iostat ? table->iostat->nr : xp_aggr_nr(table->aggr);
	int err = table->iostat ? add_port_columns(table) : add_metric_columns(table);

	if (err)
		return err;
	table->lines = calloc((size_t)nr, sizeof(*table->lines));
	if (!table->lines)
		return -ENOMEM;
	table->nr_lines = nr;
	for (int i = 0; i < nr; i++) {
		table->lines[i].metrics =
			calloc((size_t)table->nr_columns + 1, sizeof(struct row_metric));
		if (!table->lines[i].metrics)
			return -ENOMEM;
	}
	return 0;
}

/* The metric of a column in a row. Returns NULL if it has no value. */
static const struct row_metric *find_metric(const struct metric_column *column,
					    const struct stat_row *row)
{
	for (int i = 0; i < row->nr_metrics; i++)
		if (!!row->metrics[i].def == (column->metric >= 0) && !row->metrics[i].reason &&
		    row->metrics[i].shown.unit == column->unit)
			return &row->metrics[i];
	return NULL;
}

void table_fill_line(struct stat_table *table, int aggregate)
{
	struct metric_line *line = &table->lines[aggregate];

	line->row = (struct stat_row){ .id = xp_aggr_id_at(table->aggr, aggregate) };
	line->row.nr_cpus = line->row.id->nr_cpus;
	for (int i = 0; i < table->nr_columns; i++) {
		const struct metric_column *column = &table->columns[i];
		struct stat_row row = {
			.state = table_cell(table, aggregate, column->event)->counts.n
					 ? ROW_COUNTED
					 : ROW_NOT_COUNTED
		};
		const struct row_metric *metric;

		table_fill_metrics(table, aggregate, column->event, &row);
		metric = find_metric(column, &row);
		line->metrics[i] = metric ? *metric : (struct row_metric){ .reason = "" };
	}
}

/* Width and digits: perf 6.1. */
void table_fill_ports(struct stat_table *table)
{
	for (int i = 0; i < table->nr_lines; i++) {
		const struct iostat_port *port = &table->iostat->at[i];
		struct metric_line *line = &table->lines[i];

		line->row = (struct stat_row){ .id = xp_aggr_id_at(table->aggr, 0) };
		line->port = port->name;
		for (int c = 0; c < IOSTAT_COLUMNS; c++) {
			const struct xp_stats *counts =
				&table_cell(table, 0, port->first_event + c)->counts;

			line->metrics[c] = (struct row_metric){
				.shown = { .value = counts->mean * IOSTAT_MB_PER_COUNT,
					   .unit = iostat_titles[c],
					   .suffix = "" },
				.reason = counts->n ? NULL : "",
			};
		}
	}
}

void table_free_metrics(struct stat_table *table)
{
	for (int i = 0; i < table->nr_columns; i++)
		free(table->columns[i].title);
	for (int i = 0; i < table->nr_lines; i++)
		free(table->lines[i].metrics);
	free(table->columns);
	free(table->lines);
	free(table->row_metrics);
	free(table->named_values);
}
