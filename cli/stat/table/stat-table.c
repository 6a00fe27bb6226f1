/* SPDX-License-Identifier: MIT */
/* From counts to rows: sums by aggregate, means over runs, metrics, and the order perf prints in.
 */
#include "stat-table-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

/* In place of a number of CPUs: the row is left out. */
enum { NO_ROW = -1 };

static int nr_events(const struct stat_table *table)
{
	return xp_evlist_nr(table->evlist);
}

static size_t nr_cells(const struct stat_table *table)
{
	return (size_t)nr_events(table) * (size_t)xp_aggr_nr(table->aggr);
}

struct stat_cell *table_cell(const struct stat_table *table, int aggregate, int event)
{
	return &table->cells[(size_t)aggregate * (size_t)nr_events(table) + (size_t)event];
}

/* What the cells of an event stand for; never more than the plan of the table has. */
static const struct xp_aggr *aggr_of(const struct stat_table *table, int event)
{
	bool by_core = table->cores && xp_evsel_is_percore(xp_evlist_at(table->evlist, event));

	return by_core ? table->cores : table->aggr;
}

static int widest_unit(const struct xp_evlist *evlist)
{
	size_t widest = strlen("unit");

	for (int event = 0; event < xp_evlist_nr(evlist); event++) {
		size_t len = strlen(xp_evsel_unit(xp_evlist_at(evlist, event)));

		if (len > widest)
			widest = len;
	}
	return (int)widest;
}

int stat_table_init(struct stat_table *table, const struct xp_evlist *evlist,
		    const struct xp_aggr *aggr)
{
	*table = (struct stat_table){ .evlist = evlist, .aggr = aggr, .nr_runs = 1 };
	table->unit_width = widest_unit(evlist);
	if (!nr_events(table))
		return 0;
	table->cells = calloc(nr_cells(table), sizeof(*table->cells));
	table->rows = calloc(nr_cells(table), sizeof(*table->rows));
	table->totals = calloc((size_t)nr_events(table), sizeof(*table->totals));
	if (!table->cells || !table->rows || !table->totals ||
	    xp_metrics_new(evlist, &table->metrics) || stat_table_set_metrics(table, NULL)) {
		stat_table_fini(table);
		return -ENOMEM;
	}
	return 0;
}

void stat_table_fini(struct stat_table *table)
{
	free(table->cells);
	free(table->rows);
	free(table->totals);
	free(table->runs_s);
	xp_metrics_free(table->metrics);
	table_free_metrics(table);
	*table = (struct stat_table){ 0 };
}

void stat_table_reset(struct stat_table *table)
{
	if (table->cells)
		memset(table->cells, 0, nr_cells(table) * sizeof(*table->cells));
	table->elapsed = (struct xp_stats){ 0 };
	table->nr_rows = 0;
}

static bool is_tool(const struct xp_evsel *evsel)
{
	return xp_evsel_tool(evsel) != XP_TOOL_NONE;
}

/*
 * A tool event is measured once, not by CPU or thread; perf gives the value of a time as its own
 * time, and 1 for a snapshot.
 */
static void add_tool(struct stat_table *table, const struct xp_counts *counts, int event)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);
	const struct xp_count *count = xp_counts_at(counts, event, 0, 0);
	uint64_t ran = xp_evsel_is_snapshot(evsel) ? 1 : count->value;
	struct stat_cell *cell = table_cell(table, 0, event);

	if (xp_evsel_support(evsel) == XP_NOT_SUPPORTED ||
	    (count->enabled_ns && !count->running_ns)) /* it could not be read */
		return;
	xp_stats_add(&cell->counts, (double)count->value);
	cell->raw += count->value;
	cell->enabled_ns += ran;
	cell->running_ns += ran;
}

bool stat_table_has_event(const struct stat_table *table, int event)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);

	return table->no_merge || xp_evsel_merged_into(evsel) == evsel;
}

const char *stat_table_name(const struct stat_table *table, int event)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, event);

	return table->no_merge ? xp_evsel_own_name(evsel) : xp_evsel_name(evsel);
}

/* The next event whose counts are shown with those of @shown; -1: no more. */
static int next_merged(const struct stat_table *table, int shown, int event)
{
	const struct xp_evsel *evsel = xp_evlist_at(table->evlist, shown);

	/* Most events stand for themselves. */
	if (table->no_merge || xp_evsel_own_name(evsel) == xp_evsel_name(evsel))
		return -1;
	while (++event < nr_events(table))
		if (xp_evsel_merged_into(xp_evlist_at(table->evlist, event)) == evsel)
			return event;
	return -1;
}

/*
 * Tasks are on one kind of CPU at a time, so that what was counted on all kinds together is what
 * was counted of the whole time, which each of the events was enabled.
 */
static bool are_kinds_of_tasks(const struct stat_table *table, int shown)
{
	return xp_cpus_at(xp_evlist_cpus(table->evlist), 0).nr < 0 &&
	       xp_evsel_own_cpus(xp_evlist_at(table->evlist, shown));
}

static void add_kind(struct xp_total *total, const struct xp_total *more)
{
	total->raw += more->raw;
	total->running_ns += more->running_ns;
	if (more->enabled_ns > total->enabled_ns)
		total->enabled_ns = more->enabled_ns;
	if (total->running_ns > total->enabled_ns)
		total->running_ns = total->enabled_ns;
	total->scaled = total->running_ns ? (double)total->raw * (double)total->enabled_ns /
						    (double)total->running_ns
					  : 0;
}

/* The sum over the events that are shown as one. */
static void sum(const struct stat_table *table, const struct xp_counts *counts, int shown,
		int aggregate, struct xp_total *ret_total)
{
	const struct xp_aggr *aggr = aggr_of(table, shown);

	xp_aggr_sum(aggr, counts, shown, aggregate, ret_total);
	for (int event = shown; (event = next_merged(table, shown, event)) >= 0;) {
		struct xp_total more;

		xp_aggr_sum(aggr, counts, event, aggregate, &more);
		if (are_kinds_of_tasks(table, shown)) {
			add_kind(ret_total, &more);
			continue;
		}
		ret_total->raw += more.raw;
		ret_total->scaled += more.scaled;
		ret_total->enabled_ns += more.enabled_ns;
		ret_total->running_ns += more.running_ns;
	}
}

void stat_table_add(struct stat_table *table, const struct xp_counts *counts, uint64_t wall_ns,
		    bool scale)
{
	xp_stats_add(&table->elapsed, (double)wall_ns / 1e9);
	for (int event = 0; event < nr_events(table); event++) {
		if (is_tool(xp_evlist_at(table->evlist, event))) {
			add_tool(table, counts, event);
			continue;
		}
		if (!stat_table_has_event(table, event))
			continue;
		for (int aggregate = 0; aggregate < xp_aggr_nr(aggr_of(table, event));
		     aggregate++) {
			struct stat_cell *cell = table_cell(table, aggregate, event);
			struct xp_total total;

			sum(table, counts, event, aggregate, &total);
			cell->raw += total.raw;
			cell->enabled_ns += total.enabled_ns;
			cell->running_ns += total.running_ns;
			if (total.running_ns)
				xp_stats_add(&cell->counts,
					     scale ? total.scaled : (double)total.raw);
		}
	}
}

static bool is_supported(const struct stat_table *table, int shown)
{
	for (int event = shown; event >= 0; event = next_merged(table, shown, event))
		if (xp_evsel_support(xp_evlist_at(table->evlist, event)) != XP_NOT_SUPPORTED)
			return true;
	return false;
}

int stat_table_keep_run(struct stat_table *table, uint64_t wall_ns)
{
	size_t nr = table->elapsed.n;
	double *runs_s = reallocarray(table->runs_s, nr, sizeof(*runs_s));

	if (!runs_s)
		return -ENOMEM;
	runs_s[nr - 1] = (double)wall_ns / 1e9;
	table->runs_s = runs_s;
	return 0;
}

static enum row_state state_of(const struct stat_table *table, int event,
			       const struct stat_cell *cell)
{
	if (!is_supported(table, event))
		return ROW_NOT_SUPPORTED;
	return cell->counts.n ? ROW_COUNTED : ROW_NOT_COUNTED;
}

/* CPUs of an aggregate on which an event counts, or one of those shown with it. */
static int nr_cpus_of(const struct stat_table *table, int aggregate, int shown)
{
	int most = 0;

	for (int event = shown; event >= 0; event = next_merged(table, shown, event)) {
		int nr = xp_aggr_nr_cpus(aggr_of(table, shown), aggregate,
					 xp_evlist_at(table->evlist, event));
		if (nr > most)
			most = nr;
	}
	return most;
}

/*
 * What perf shows: the CPUs behind a count, 1 where there is none, 0 where there could not be.
 * NO_ROW: the event is not one of this aggregate's.
 */
static int shown_cpus(const struct stat_table *table, const struct stat_row *row, int aggregate,
		      int event)
{
	int nr = nr_cpus_of(table, aggregate, event);

	if (!nr || !stat_table_has_event(table, event))
		return NO_ROW;
	if (row->state == ROW_COUNTED)
		return nr;
	return is_tool(row->evsel) && aggregate ? 0 : 1;
}

/* @id: what the row stands for, which may be a part of the aggregate */
static void fill_row(struct stat_table *table, int aggregate, int event,
		     const struct xp_aggr_id *id, struct stat_row *row)
{
	const struct stat_cell *cell = table_cell(table, aggregate, event);
	uint64_t nr_added = table->elapsed.n ? table->elapsed.n : 1;

	row->evsel = xp_evlist_at(table->evlist, event);
	row->name = stat_table_name(table, event);
	row->id = id;
	row->by_core = id->place.core >= 0 && xp_aggr_get_mode(table->aggr) == XP_AGGR_CPU;
	row->state = state_of(table, event, cell);
	row->nr_cpus = shown_cpus(table, row, aggregate, event);
	row->value = cell->counts.mean * xp_evsel_scale(row->evsel);
	row->raw = cell->raw;
	row->stats = &cell->counts;
	row->noise_pct = xp_stats_stderr_pct(&cell->counts);
	row->enabled_ns = cell->enabled_ns / nr_added;
	row->running_ns = cell->running_ns / nr_added;
	table_fill_metrics(table, aggregate, event, row);
}

/* The totals metrics are computed from: means over the runs, of events with the same aggregates. */
static void fill_totals(struct stat_table *table, const struct xp_aggr *aggr, int aggregate)
{
	for (int event = 0; event < nr_events(table); event++) {
		static const struct stat_cell none;
		const struct stat_cell *cell = &none;

		if (aggr_of(table, event) == aggr)
			cell = table_cell(table, aggregate, event);
		table->totals[event].scaled = cell->counts.mean;
		table->totals[event].enabled_ns = cell->enabled_ns;
		table->totals[event].running_ns = cell->running_ns;
	}
}

/* Threads by count, the busiest first; those without a count behind, in the order of the set. */
static int compare_threads(const void *a, const void *b)
{
	const struct stat_row *left = a, *right = b;

	if (left->state != right->state)
		return (int)left->state - (int)right->state;
	if (left->state == ROW_COUNTED && left->value != right->value)
		return left->value < right->value ? 1 : -1;
	return left->id->thread_idx - right->id->thread_idx;
}

static bool is_shown(const struct stat_table *table, const struct stat_row *row)
{
	enum xp_aggr_mode mode = xp_aggr_get_mode(table->aggr);

	if (row->nr_cpus == NO_ROW || (table->rows_of_metrics && !row->of_metric))
		return false;
	/* How the machine is does not belong to a CPU or thread: perf 7 shows it in the first row.
	 */
	if (is_tool(row->evsel) && xp_evsel_is_snapshot(row->evsel))
		return row->id == xp_aggr_id_at(table->aggr, 0);
	if (table->counted_only && row->state != ROW_COUNTED)
		return false;
	if (table->supported_only && row->state == ROW_NOT_SUPPORTED)
		return false;
	if (table->hides_zero && row->state == ROW_COUNTED && row->value == 0)
		return false;
	if (is_tool(row->evsel) && (mode == XP_AGGR_CPU || mode == XP_AGGR_THREAD))
		return row->id == xp_aggr_id_at(table->aggr, 0);
	if (mode == XP_AGGR_CPU && row->state != ROW_NOT_SUPPORTED)
		return row->nr_cpus;
	return true;
}

/* Events outside, aggregates inside; the rows were filled at [event * nr_aggregates]. */
static void order_by_event(struct stat_table *table)
{
	int nr_aggregates = xp_aggr_nr(table->aggr);
	int nr = 0;

	for (int event = 0; event < nr_events(table); event++) {
		struct stat_row *of_event = &table->rows[(size_t)event * (size_t)nr_aggregates];

		if (xp_aggr_get_mode(table->aggr) == XP_AGGR_THREAD)
			qsort(of_event, (size_t)nr_aggregates, sizeof(*of_event), compare_threads);
		for (int i = 0; i < nr_aggregates; i++)
			if (is_shown(table, &of_event[i]))
				table->rows[nr++] = of_event[i];
	}
	table->nr_rows = nr;
}

static void drop_hidden(struct stat_table *table)
{
	int nr = 0;

	for (size_t i = 0; i < nr_cells(table); i++)
		if (is_shown(table, &table->rows[i]))
			table->rows[nr++] = table->rows[i];
	table->nr_rows = nr;
}

static bool events_are_outside(const struct stat_table *table)
{
	enum xp_aggr_mode mode = xp_aggr_get_mode(table->aggr);

	return mode == XP_AGGR_CPU || mode == XP_AGGR_THREAD;
}

static struct stat_row *row_at(const struct stat_table *table, int nth, int event)
{
	if (events_are_outside(table))
		return &table->rows[(size_t)event * (size_t)xp_aggr_nr(table->aggr) + (size_t)nth];
	return &table->rows[(size_t)nth * (size_t)nr_events(table) + (size_t)event];
}

/*
 * The @nth row of each event whose aggregates are those of @aggr. @id: what the row stands for;
 * @aggregate: which one's counts it shows, -1: there are no more
 */
static void fill_rows(struct stat_table *table, const struct xp_aggr *aggr, int nth,
		      const struct xp_aggr_id *id, int aggregate)
{
	if (aggregate >= 0)
		fill_totals(table, aggr, aggregate);
	if (aggr == table->aggr)
		table_fill_named(table, aggregate);
	for (int event = 0; event < nr_events(table); event++) {
		if (aggr_of(table, event) != aggr)
			continue;
		struct stat_row *row = row_at(table, nth, event);
		if (aggregate >= 0)
			fill_row(table, aggregate, event, id, row);
		else
			*row = (struct stat_row){ .nr_cpus = NO_ROW };
	}
}

/* Of events whose counts are those of cores: a row per core, or one per CPU. */
static void fill_rows_of_cores(struct stat_table *table, int nth)
{
	const struct xp_aggr_id *cpu = xp_aggr_id_at(table->aggr, nth);
	const struct xp_aggr *cores = table->cores;

	if (table->cores_by_cpu)
		fill_rows(table, cores, nth, cpu, xp_aggr_row_of_cpu(cores, cpu->cpu));
	else if (nth < xp_aggr_nr(cores))
		fill_rows(table, cores, nth, xp_aggr_id_at(cores, nth), nth);
	else
		fill_rows(table, cores, nth, NULL, -1);
}

void stat_table_finish(struct stat_table *table)
{
	for (int nth = 0; nr_events(table) && nth < xp_aggr_nr(table->aggr); nth++) {
		fill_rows(table, table->aggr, nth, xp_aggr_id_at(table->aggr, nth), nth);
		if (table->lines && !table->iostat)
			table_fill_line(table, nth);
		if (table->cores)
			fill_rows_of_cores(table, nth);
	}
	if (table->lines && table->iostat)
		table_fill_ports(table);
	if (events_are_outside(table))
		order_by_event(table);
	else
		drop_hidden(table);
}
