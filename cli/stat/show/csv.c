/* SPDX-License-Identifier: MIT */
/*
 * CSV with perf 6.1's columns:
 * [time,][row,[cpus,]]value,unit,event,[cgroup,][noise%,]run time,share,[metric,]metric unit
 * A further metric of an event is a line whose other columns are empty.
 *
 * Names that contain the separator are in quotes, which perf leaves out. Source: RFC 4180, 2.
 */
#include "render.h"

#include <stdio.h>
#include <string.h>
#include <xperf/cgroup.h>
#include <xperf/evsel.h>
#include <xperf/metric.h>

#include "cli.h"
#include "escape.h"

/* Empty columns between a row's identity and a further metric. Measured: perf 6.1.187. */
static const int metric_separators[XP_AGGR_NR_MODES] = {
	[XP_AGGR_GLOBAL] = 4, [XP_AGGR_SOCKET] = 6,  [XP_AGGR_DIE] = 6,
	[XP_AGGR_CORE] = 6,   [XP_AGGR_NODE] = 5,    [XP_AGGR_CPU] = 5,
	[XP_AGGR_THREAD] = 5, [XP_AGGR_CLUSTER] = 6, [XP_AGGR_CACHE] = 6,
};

static void separator(struct rendering *r)
{
	sink_text(&r->out, r->style->separator);
}

/* A name, and what follows it in the same column. */
static void name(struct rendering *r, const char *text, const char *tail)
{
	const char *between = r->style->separator, quote[] = "\"";
	bool is_quoted = strstr(text, quote) || (*between && strstr(text, between));

	if (is_quoted)
		sink_text(&r->out, quote);
	for (text = escaped(text); *text; text++) {
		if (*text == *quote)
			sink_text(&r->out, quote);
		sink_char(&r->out, *text);
	}
	sink_text(&r->out, tail);
	if (is_quoted)
		sink_text(&r->out, quote);
}

static void identity(struct rendering *r, const struct stat_row *row)
{
	const char *between = r->style->separator;
	const struct xp_aggr_id *id = row->id;
	char place[ROW_PLACE_LEN];

	if (row_place(r, row, place)) {
		sink_format(&r->out, "%s%s", place, between);
		if (!row->by_core)
			sink_format(&r->out, "%d%s", row->nr_cpus, between);
	} else if (xp_aggr_get_mode(r->table->aggr) == XP_AGGR_CPU) {
		sink_format(&r->out, "CPU%d%s", id->cpu.nr, between);
	} else if (xp_aggr_get_mode(r->table->aggr) == XP_AGGR_THREAD) {
		struct xp_threads *threads = xp_aggr_threads(r->table->aggr);
		char number[16];

		snprintf(number, sizeof(number), "-%d",
			 (int)xp_threads_tid(threads, id->thread_idx));
		name(r, xp_threads_comm(threads, id->thread_idx), number);
		separator(r);
	}
}

static void lead(struct rendering *r, const struct stat_row *row)
{
	if (r->stamp[0]) {
		sink_text(&r->out, r->stamp);
		separator(r);
	} else if (r->table->is_summary && r->style->csv_summary) {
		sink_right(&r->out, "summary", r->style->perf7 ? 0 : 16);
		separator(r);
	}
	identity(r, row);
}

static void count(struct rendering *r, const struct stat_row *row)
{
	struct sink *out = &r->out;
	bool counted = row->state == ROW_COUNTED;

	if (counted)
		sink_fixed(out, row->value, row_precision(row));
	else
		sink_text(out, row_state_text(row->state));
	separator(r);
	name(r, xp_evsel_unit(row->evsel), "");
	separator(r);
	name(r, row->name, "");
	separator(r);
	if (xp_evlist_has_cgroups(r->table->evlist)) {
		name(r, row_cgroup(row), "");
		separator(r);
	}
	if (r->table->nr_runs > 1) {
		sink_fixed(out, counted ? row->noise_pct : 0, 2);
		sink_char(out, '%');
		separator(r);
	}
	sink_dec(out, row->running_ns, 0, ' ');
	separator(r);
	sink_fixed(out, row_share_pct(row), 2);
	separator(r);
}

static void metric(struct rendering *r, const struct xp_metric *m)
{
	sink_fixed(&r->out, m->value, m->precision);
	separator(r);
	name(r, m->unit, "");
}

/* As perf: one more for an event that is of a cgroup. */
static int further_separators(const struct rendering *r, const struct stat_row *row)
{
	return metric_separators[xp_aggr_get_mode(r->table->aggr)] + !!xp_evsel_cgroup(row->evsel);
}

/* The name of a group is where the unit of a metric is. */
static void group(struct rendering *r, const struct stat_row *row)
{
	for (int n = 0; n < further_separators(r, row) + 1; n++)
		separator(r);
	name(r, row->group, "");
}

static void csv_row(struct rendering *r, const struct stat_row *row)
{
	bool beside = !row->group && row->nr_metrics && !row->metrics[0].shown.own_line &&
		      !row->metrics[0].reason;

	lead(r, row);
	if (row->group)
		group(r, row);
	else
		count(r, row);
	if (!row->group && !beside)
		separator(r);
	for (int i = 0; i < row->nr_metrics; i++) {
		if (row->metrics[i].reason)
			continue;
		if (row->metrics[i].shown.own_line || row->group) {
			sink_char(&r->out, '\n');
			lead(r, row);
			for (int n = 0; n < further_separators(r, row); n++)
				separator(r);
		} else if (i) {
			separator(r);
		}
		metric(r, &row->metrics[i].shown);
	}
	sink_char(&r->out, '\n');
}

/* Why events were not counted, in lines that begin with #. */
static void csv_footer(struct rendering *r)
{
	const struct stat_table *table = r->table;

	for (int i = 0; i < table->nr_rows; i++) {
		const struct stat_row *row = &table->rows[i];
		const char *reason = xp_evsel_reason(row->evsel);
		struct wording buf;

		if (row->state == ROW_NOT_COUNTED && *reason &&
		    (!i || table->rows[i - 1].evsel != row->evsel))
			sink_format(&r->out, "# %s: %s\n", row->name, cli_words(reason, &buf));
	}
	for (int i = 0; i < stat_table_nr_named(table); i++) {
		const char *reason = stat_table_named_reason(table, i);

		if (reason) {
			sink_format(&r->out, "# %s: ", stat_table_named(table, i)->name);
			sink_escaped(&r->out, reason);
			sink_char(&r->out, '\n');
		}
	}
}

/* The columns before the values. */
static const char *const only_places[XP_AGGR_NR_MODES][2] = {
	[XP_AGGR_GLOBAL] = { NULL, NULL },       [XP_AGGR_SOCKET] = { "socket", "cpus" },
	[XP_AGGR_DIE] = { "die", "cpus" },       [XP_AGGR_CORE] = { "core", "cpus" },
	[XP_AGGR_NODE] = { "node", "cpus" },     [XP_AGGR_CPU] = { "cpu", NULL },
	[XP_AGGR_THREAD] = { "comm-pid", NULL }, [XP_AGGR_CLUSTER] = { "cluster", "cpus" },
	[XP_AGGR_CACHE] = { "cache", "cpus" },
};

static void only_titles(struct rendering *r)
{
	const struct stat_table *table = r->table;
	const char *const *places = only_places[xp_aggr_get_mode(table->aggr)];

	if (table->is_interval && !table->first_interval)
		return;
	if (table->is_interval || (table->is_summary && r->style->csv_summary)) {
		sink_text(&r->out, table->is_interval ? "time" : "summary");
		separator(r);
	}
	for (int i = 0; i < 2 && places[i]; i++) {
		sink_text(&r->out, places[i]);
		separator(r);
	}
	if (table->iostat) {
		sink_text(&r->out, "port");
		separator(r);
	}
	for (int i = 0; i < table->nr_columns; i++) {
		name(r, table->columns[i].title, "");
		separator(r);
	}
	sink_char(&r->out, '\n');
}

/* As perf: a separator after each value. */
static void only_line(struct rendering *r, const struct metric_line *line)
{
	lead(r, &line->row);
	if (line->port) {
		sink_text(&r->out, line->port);
		separator(r);
	}
	for (int i = 0; i < r->table->nr_columns; i++) {
		if (!line->metrics[i].reason)
			sink_fixed(&r->out, line->metrics[i].shown.value,
				   line->metrics[i].shown.precision);
		separator(r);
	}
	sink_char(&r->out, '\n');
}

const struct stat_renderer csv_renderer = {
	.row = csv_row,
	.titles = only_titles,
	.line = only_line,
	.footer = csv_footer,
	.stamp = "%6lu.%09lu",
	.stamp7 = "%lu.%09lu",
};
