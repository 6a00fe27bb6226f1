/* SPDX-License-Identifier: MIT */
/*
 * Text as perf 6.1 prints it, column by column. Numbers are in the user's format, times of
 * intervals are not. What xperf adds (reasons, the mark of unreliable counts) stands behind
 * perf's columns or below the table.
 */
#include "render.h"

#include <math.h>
#include <string.h>
#include <xperf/cgroup.h>
#include <xperf/evsel.h>

#include "utf8.h"

/* Columns. Measured: perf 6.1.187. */
enum {
	COUNT_WIDTH = 18,
	NAME_WIDTH = 32, /* in front of a metric */
	GROUP_WIDTH = 33,
	SECONDS_WIDTH = 17,
	CACHE_WIDTH = 22, /* as in perf 6.12 and 7.2 */
	CLUSTER_WIDTH = 20,
};

/* Those in which perf 7 differs. Source: what perf 6.12 to 7.2 print. */
struct widths {
	int bare_name; /* of what was not counted */
	int metric;
	int further_metric_indent;
	int core; /* number of a core */
};

static const struct widths widths[] = {
	{ .bare_name = 25, .metric = 35, .further_metric_indent = 49, .core = 8 },
	{ .bare_name = 32, .metric = 38, .further_metric_indent = 56, .core = 11 },
};

static const struct widths *widths_of(const struct rendering *r)
{
	return &widths[r->style->perf7];
}

/* Per mode: the heading of intervals up to the counts, and what a further metric is moved by. */
static const struct {
	const char *heading;
	int further_indent;
} modes[XP_AGGR_NR_MODES] = {
	[XP_AGGR_GLOBAL] = { "#           time             counts ", 0 },
	[XP_AGGR_SOCKET] = { "#           time socket cpus             counts ", 0 },
	[XP_AGGR_DIE] = { "#           time die          cpus             counts ", 0 },
	[XP_AGGR_CORE] = { "#           time core            cpus             counts ", 0 },
	[XP_AGGR_NODE] = { "#           time node   cpus             counts ", 0 },
	[XP_AGGR_CPU] = { "#           time CPU                    counts ", 8 },
	[XP_AGGR_THREAD] = { "#           time             comm-pid                  counts ", 0 },
	[XP_AGGR_CLUSTER] = { "#           time cluster              cpus             counts ", 0 },
	[XP_AGGR_CACHE] = { "#           time cache                  cpus             counts ", 0 },
};

static const char *heading_of(const struct rendering *r)
{
	enum xp_aggr_mode mode = xp_aggr_get_mode(r->table->aggr);

	return r->style->perf7 && mode == XP_AGGR_CORE
		       ? "#           time core               cpus             counts "
		       : modes[mode].heading;
}

/* Where the metrics of a further line begin. */
static int further_indent(const struct rendering *r)
{
	int indent = widths_of(r)->further_metric_indent;

	return r->style->perf7 ? indent
			       : indent + modes[xp_aggr_get_mode(r->table->aggr)].further_indent;
}

static const char *const colors[] = {
	[XP_METRIC_NORMAL] = "",
	[XP_METRIC_YELLOW] = "\033[33m",
	[XP_METRIC_MAGENTA] = "\033[35m",
	[XP_METRIC_RED] = "\033[31m",
};

static int unit_width(const struct rendering *r)
{
	return r->style->unit_width > r->table->unit_width ? r->style->unit_width
							   : r->table->unit_width;
}

/* A number in the user's format, filled up to @width columns. Returns the columns it took. */
static int number(struct rendering *r, double value, int precision, int width, bool group)
{
	char text[NUMBER_LEN];
	size_t len = number_put(text, r->numbers, value, precision, group);
	int columns = utf8_columns_of(text, len);

	sink_blanks(&r->out, width - columns);
	sink_bytes(&r->out, text, len);
	return columns > width ? columns : width;
}

static void padded_uint(struct sink *out, int value, int width)
{
	size_t before = out->len;

	sink_dec(out, (uint64_t)value, 0, ' ');
	sink_blanks(out, width - (int)(out->len - before));
}

static void place(struct rendering *r, const struct stat_row *row)
{
	const struct xp_place *at = &row->id->place;
	enum xp_aggr_mode mode = xp_aggr_get_mode(r->table->aggr);
	struct sink *out = &r->out;
	char name[ROW_PLACE_LEN];

	switch (mode) {
	case XP_AGGR_CLUSTER:
	case XP_AGGR_CACHE:
		row_place(r, row, name);
		sink_left(out, name, mode == XP_AGGR_CACHE ? CACHE_WIDTH : CLUSTER_WIDTH);
		break;
	case XP_AGGR_NODE:
		sink_char(out, 'N');
		padded_uint(out, at->node, 5);
		break;
	case XP_AGGR_SOCKET:
		sink_char(out, 'S');
		padded_uint(out, at->socket, 5);
		break;
	default:
		sink_char(out, 'S');
		sink_dec(out, (uint64_t)at->socket, 0, ' ');
		sink_text(out, "-D");
		if (mode == XP_AGGR_DIE) {
			padded_uint(out, at->die, 8);
			break;
		}
		sink_dec(out, (uint64_t)at->die, 0, ' ');
		sink_text(out, "-C");
		padded_uint(out, at->core, widths_of(r)->core);
	}
	sink_format(out, " %4d ", row->nr_cpus);
}

/* What stands in front of the count, on every line of a row. */
static void lead(struct rendering *r, const struct stat_row *row)
{
	const struct xp_place *at = &row->id->place;
	struct xp_threads *threads;

	sink_text(&r->out, r->stamp);
	switch (xp_aggr_get_mode(r->table->aggr)) {
	case XP_AGGR_GLOBAL:
		break;
	case XP_AGGR_CPU:
		if (row->by_core) {
			sink_format(&r->out, "S%d-D%d-C%-3d ", at->socket, at->die, at->core);
			break;
		}
		sink_text(&r->out, "CPU");
		padded_uint(&r->out, row->id->cpu.nr, 8);
		break;
	case XP_AGGR_THREAD:
		threads = xp_aggr_threads(r->table->aggr);
		sink_right(&r->out, xp_threads_comm(threads, row->id->thread_idx), 16);
		sink_char(&r->out, '-');
		padded_uint(&r->out, (int)xp_threads_tid(threads, row->id->thread_idx), 9);
		break;
	default:
		place(r, row);
	}
}

/* A metric by name without a value leaves its place empty. */
static void metric(struct rendering *r, const struct row_metric *of_row)
{
	const struct xp_metric *m = &of_row->shown;
	bool colored = r->style->color && m->level != XP_METRIC_NORMAL;
	int columns = 3;

	if (of_row->reason) {
		sink_blanks(&r->out, widths_of(r)->metric);
		return;
	}
	sink_text(&r->out, " # ");
	if (colored)
		sink_text(&r->out, colors[m->level]);
	columns += number(r, m->value, m->precision, m->width, false);
	sink_text(&r->out, m->suffix);
	columns += (int)strlen(m->suffix);
	if (colored)
		sink_text(&r->out, "\033[m");
	sink_char(&r->out, ' ');
	sink_left(&r->out, m->unit, widths_of(r)->metric - columns - 1);
}

static void trim(struct rendering *r)
{
	struct sink *out = &r->out;

	while (r->style->trims && out->len && out->buf[out->len - 1] == ' ')
		out->len--;
}

static void metrics(struct rendering *r, const struct stat_row *row)
{
	if (!row->nr_metrics || row->metrics[0].shown.own_line)
		sink_blanks(&r->out, widths_of(r)->metric);
	for (int i = 0; i < row->nr_metrics; i++) {
		if (i && row->metrics[i].reason)
			continue;
		if (row->metrics[i].shown.own_line) {
			trim(r);
			sink_char(&r->out, '\n');
			lead(r, row);
			sink_blanks(&r->out, further_indent(r));
		}
		metric(r, &row->metrics[i]);
	}
}

/* "  ( +- 12.34% )"; nothing for no noise at all. */
static void noise(struct rendering *r, double pct)
{
	if (pct == 0)
		return;
	sink_text(&r->out, "  ( +-");
	number(r, pct, 2, 6, false);
	sink_text(&r->out, "% )");
}

/* "  (12.34%)", of multiplexed counts. */
static void share(struct rendering *r, const struct stat_row *row)
{
	if (row->running_ns == row->enabled_ns)
		return;
	sink_text(&r->out, "  (");
	number(r, row_share_pct(row), 2, 0, false);
	sink_text(&r->out, row_is_unreliable(row) ? "%, unreliable)" : "%)");
}

static void cgroup(struct rendering *r, const struct stat_row *row)
{
	if (!xp_evlist_has_cgroups(r->table->evlist))
		return;
	sink_char(&r->out, ' ');
	sink_escaped(&r->out, row_cgroup(row));
}

static void counted(struct rendering *r, const struct stat_row *row)
{
	number(r, row->value, row_precision(row), COUNT_WIDTH, r->style->big_num);
	sink_char(&r->out, ' ');
	sink_left(&r->out, xp_evsel_unit(row->evsel), unit_width(r) + 1);
	sink_left(&r->out, row->name, NAME_WIDTH);
	cgroup(r, row);
	metrics(r, row);
	if (r->table->nr_runs > 1)
		noise(r, row->noise_pct);
}

static void not_counted(struct rendering *r, const struct stat_row *row)
{
	sink_right(&r->out, row_state_text(row->state), COUNT_WIDTH);
	sink_char(&r->out, ' ');
	sink_left(&r->out, xp_evsel_unit(row->evsel), unit_width(r) + 1);
	sink_left(&r->out, row->name, widths_of(r)->bare_name);
	cgroup(r, row);
	sink_blanks(&r->out, widths_of(r)->metric);
}

/* The metrics of a group, in place of its events. */
static void group(struct rendering *r, const struct stat_row *row)
{
	sink_right(&r->out, row->group, GROUP_WIDTH);
	sink_blanks(&r->out, widths_of(r)->further_metric_indent - GROUP_WIDTH);
	metrics(r, row);
}

static void text_row(struct rendering *r, const struct stat_row *row)
{
	lead(r, row);
	if (row->group)
		group(r, row);
	else if (row->state == ROW_COUNTED)
		counted(r, row);
	else
		not_counted(r, row);
	share(r, row);
	trim(r);
	sink_char(&r->out, '\n');
}

static void text_header(struct rendering *r)
{
	const struct stat_table *table = r->table;

	if (table->is_interval) {
		if (r->style->clears)
			sink_text(&r->out, "\033[H\033[2J");
		if (!table->first_interval)
			return;
		if (r->style->metric_only)
			return;
		sink_text(&r->out, heading_of(r));
		sink_right(&r->out, "unit", unit_width(r));
		sink_text(&r->out, " events\n");
		notes_render(r, "# ");
		return;
	}
	sink_text(&r->out, "\n Performance counter stats for ");
	sink_escaped(&r->out, table->title ? table->title : "");
	if (table->nr_runs > 1)
		sink_format(&r->out, " (%d runs)", table->nr_runs);
	sink_text(&r->out, ":\n\n");
}

/* Digits behind the point: two more than the error has zeros there. */
static int elapsed_precision(double error)
{
	int precision = 2;

	if (error <= 0)
		return 9;
	for (double unit = 1; error < unit && precision < 9; unit /= 10)
		precision++;
	return precision;
}

/* One # and one more per 5 % that a run is away from the mean, in percent of the run. Measured:
 * perf 6.1.187, which has no longest bar. */
static int bar_len(double run_s, double mean_s)
{
	enum { LONGEST_BAR = 200 };
	double len = 1 + floor(fabs(100 * (run_s - mean_s) / run_s) / 5);

	if (run_s == mean_s)
		return 1;
	return len < LONGEST_BAR ? (int)len : LONGEST_BAR;
}

/* The time of each run, its difference to the mean, and a bar. */
static void runs(struct rendering *r, int precision)
{
	static const char indent[] = "           ";
	double mean_s = r->table->elapsed.mean;

	sink_format(&r->out, "%s# Table of individual measurements:\n", indent);
	for (int i = 0; i < r->table->nr_runs; i++) {
		double run_s = r->table->runs_s[i];

		sink_char(&r->out, ' ');
		number(r, run_s, precision, SECONDS_WIDTH, false);
		sink_text(&r->out, run_s < mean_s ? " (-" : " (+");
		number(r, fabs(run_s - mean_s), precision, 0, false);
		sink_text(&r->out, ") ");
		for (int n = bar_len(run_s, mean_s); n; n--)
			sink_char(&r->out, '#');
		sink_char(&r->out, '\n');
	}
	sink_format(&r->out, "\n%s# Final result:\n", indent);
}

static void elapsed(struct rendering *r)
{
	const struct xp_stats *stats = &r->table->elapsed;

	if (r->table->nr_runs > 1) {
		double error = xp_stats_stderr(stats);
		int precision = elapsed_precision(error);

		if (r->table->runs_s)
			runs(r, precision);
		sink_char(&r->out, ' ');
		number(r, stats->mean, precision, SECONDS_WIDTH, false);
		sink_text(&r->out, " +- ");
		number(r, error, precision, 0, false);
		sink_text(&r->out, " seconds time elapsed");
		noise(r, xp_stats_stderr_pct(stats));
	} else {
		sink_char(&r->out, ' ');
		number(r, stats->mean, 9, SECONDS_WIDTH, false);
		sink_text(&r->out, " seconds time elapsed");
	}
	sink_text(&r->out, "\n\n");
}

static void seconds(struct rendering *r, double value, const char *what)
{
	sink_char(&r->out, ' ');
	number(r, value, 9, SECONDS_WIDTH, false);
	sink_text(&r->out, what);
}

static void text_footer(struct rendering *r)
{
	if (r->table->is_interval)
		return;
	if (!r->style->null_run)
		sink_char(&r->out, '\n');
	elapsed(r);
	if (r->table->has_times && r->table->nr_runs == 1) {
		seconds(r, r->table->user_s, " seconds user\n");
		seconds(r, r->table->system_s, " seconds sys\n\n\n");
	}
	notes_render(r, "");
}

/* As perf: each column as wide as its title, at least; perf 6.1. */
enum { COLUMN_WIDTH = 20 };

/* The place of a root port, as wide as its name. */
static void port(struct rendering *r, const char *name)
{
	enum { PORT_WIDTH = 7 };

	sink_right(&r->out, name, PORT_WIDTH);
	sink_char(&r->out, ' ');
}

static void only_titles(struct rendering *r)
{
	const struct stat_table *table = r->table;
	struct sink *out = &r->out;

	if (table->is_interval) {
		const char *heading = heading_of(r);

		if (!table->first_interval)
			return;
		/* The place of the counts is that of the titles. */
		sink_bytes(out, heading, strlen(heading) - strlen("            counts "));
	} else {
		size_t before = out->len, columns;

		/* As wide as what comes before the values. */
		if (table->nr_lines)
			lead(r, &table->lines[0].row);
		columns = out->len - before;
		out->len = before;
		sink_blanks(out, (int)columns);
	}
	if (table->iostat)
		port(r, "port");
	for (int i = 0; i < table->nr_columns; i++) {
		sink_right(out, table->columns[i].title, COLUMN_WIDTH);
		sink_char(out, ' ');
	}
	trim(r);
	sink_char(out, '\n');
}

static void only_value(struct rendering *r, const struct metric_column *column,
		       const struct row_metric *m)
{
	int width = utf8_columns(column->title);
	bool colored = r->style->color && m->shown.level != XP_METRIC_NORMAL;
	char text[NUMBER_LEN];

	width = width < COLUMN_WIDTH ? COLUMN_WIDTH : width;
	if (m->reason) {
		sink_blanks(&r->out, width + 1);
		return;
	}
	size_t len = number_put(text, r->numbers, m->shown.value, m->shown.precision, false);
	sink_blanks(&r->out, width - utf8_columns_of(text, len) - (int)strlen(m->shown.suffix));
	if (colored)
		sink_text(&r->out, colors[m->shown.level]);
	sink_bytes(&r->out, text, len);
	sink_text(&r->out, m->shown.suffix);
	if (colored)
		sink_text(&r->out, "\033[m");
	sink_char(&r->out, ' ');
}

static void only_line(struct rendering *r, const struct metric_line *line)
{
	lead(r, &line->row);
	if (line->port)
		port(r, line->port);
	for (int i = 0; i < r->table->nr_columns; i++)
		only_value(r, &r->table->columns[i], &line->metrics[i]);
	trim(r);
	sink_char(&r->out, '\n');
}

const struct stat_renderer text_renderer = {
	.header = text_header,
	.row = text_row,
	.titles = only_titles,
	.line = only_line,
	.footer = text_footer,
	.stamp = "%6lu.%09lu ",
	.stamp7 = "%6lu.%09lu ",
};
