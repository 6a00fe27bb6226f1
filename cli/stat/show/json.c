/* SPDX-License-Identifier: MIT */
/* One JSON object per line, with the keys of perf 6.1 or perf 7 in their order. */
#include "render.h"

#include <string.h>
#include <xperf/cgroup.h>
#include <xperf/evsel.h>

#include "cli.h"
#include "json-numbers.h"

/* The key of the place a row is of. */
static const char *const place_keys[XP_AGGR_NR_MODES] = {
	[XP_AGGR_SOCKET] = "socket", [XP_AGGR_DIE] = "die",         [XP_AGGR_CORE] = "core",
	[XP_AGGR_NODE] = "node",     [XP_AGGR_CLUSTER] = "cluster", [XP_AGGR_CACHE] = "cache",
};

static void identity(struct rendering *r, struct json *json, const struct stat_row *row)
{
	enum xp_aggr_mode mode = row->by_core ? XP_AGGR_CORE : xp_aggr_get_mode(r->table->aggr);
	const struct xp_aggr_id *id = row->id;
	char name[64];

	if (row_place(r, row, name)) {
		json_string(json, place_keys[mode], name);
		if (!row->by_core)
			json_int(json, r->style->perf7 ? "counters" : "aggregate-number",
				 row->nr_cpus);
	} else if (mode == XP_AGGR_CPU) {
		snprintf(name, sizeof(name), "%d", id->cpu.nr);
		json_string(json, "cpu", name);
	} else if (mode == XP_AGGR_THREAD) {
		struct xp_threads *threads = xp_aggr_threads(r->table->aggr);

		snprintf(name, sizeof(name), "%s-%d", xp_threads_comm(threads, id->thread_idx),
			 (int)xp_threads_tid(threads, id->thread_idx));
		json_string(json, "thread", name);
	}
}

static void begin_line(struct rendering *r, struct json *json, const struct stat_row *row)
{
	json_object(json, NULL, &json_blanks);
	if (r->stamp[0])
		json_value(json, "interval", r->stamp, strlen(r->stamp));
	identity(r, json, row);
}

/* Numbers are texts in perf, but for the metrics of perf 6.1. */
static void text_of(char value[NUMBER_LEN], double number, int precision)
{
	value[number_fixed(value, number, precision)] = '\0';
}

static void count(struct rendering *r, struct json *json, const struct stat_row *row)
{
	bool counted = row->state == ROW_COUNTED;
	char value[NUMBER_LEN];
	struct wording buf;

	if (counted)
		text_of(value, row->value, 6);
	json_string(json, "counter-value", counted ? value : row_state_text(row->state));
	json_string(json, "unit", xp_evsel_unit(row->evsel));
	json_string(json, "event", row->name);
	if (xp_evlist_has_cgroups(r->table->evlist))
		json_string(json, "cgroup", row_cgroup(row));
	if (r->table->nr_runs > 1)
		json_fixed(json, "variance", counted ? row->noise_pct : 0, 2);
	if (row->state == ROW_NOT_COUNTED && xp_evsel_reason(row->evsel)[0])
		json_string(json, "reason", cli_words(xp_evsel_reason(row->evsel), &buf));
}

static void running(struct json *json, const struct stat_row *row)
{
	json_uint(json, "event-runtime", row->running_ns);
	json_fixed(json, "pcnt-running", row_share_pct(row), 2);
}

/* A metric by name without a value has the reason; a count without a metric has perf 6.1's zero,
 * and none of the keys in perf 7. */
static void metric(struct rendering *r, struct json *json, const struct row_metric *m)
{
	bool perf7 = r->style->perf7, has_value = !m || !m->reason;
	char value[NUMBER_LEN];

	if (!m && perf7)
		return;
	if (!has_value && !perf7)
		json_string(json, "metric-value", "nan"); /* what parsers of numbers read */
	else if (!perf7)
		json_fixed(json, "metric-value", m ? m->shown.value : 0, 6);
	else if (has_value) {
		text_of(value, m->shown.value, 6);
		json_string(json, "metric-value", value);
	}
	json_string(json, "metric-unit", m ? m->shown.unit : "");
	if (m && m->threshold)
		json_string(json, "metric-threshold", m->threshold);
	if (!has_value)
		json_string(json, "metric-reason", m->reason);
}

static void end_line(struct json *json)
{
	json_end(json);
	sink_char(json->out, '\n');
}

static void json_row(struct rendering *r, const struct stat_row *row)
{
	bool beside = row->nr_metrics && !row->metrics[0].shown.own_line && !row->group;
	struct json json;

	json_init(&json, &r->out, " : ");
	begin_line(r, &json, row);
	if (!row->group)
		count(r, &json, row);
	running(&json, row);
	if (row->group)
		json_string(&json, "metricgroup", row->group);
	else
		metric(r, &json, beside ? &row->metrics[0] : NULL);
	end_line(&json);
	for (int i = beside; i < row->nr_metrics; i++) {
		begin_line(r, &json, row);
		metric(r, &json, &row->metrics[i]);
		end_line(&json);
	}
}

/* As perf 7: an object per line, metrics by their names, values as texts. What has none is left
 * out. */
static void only_line(struct rendering *r, const struct metric_line *line)
{
	struct json json;
	char value[NUMBER_LEN];

	json_init(&json, &r->out, " : ");
	begin_line(r, &json, &line->row);
	if (line->port)
		json_string(&json, "port", line->port);
	for (int i = 0; i < r->table->nr_columns; i++) {
		const struct xp_metric *m = &line->metrics[i].shown;

		if (line->metrics[i].reason)
			continue;
		text_of(value, m->value, m->precision);
		json_string(&json, r->table->columns[i].title, value);
	}
	end_line(&json);
}

const struct stat_renderer json_renderer = {
	.row = json_row,
	.line = only_line,
	.stamp = "%lu.%09lu",
	.stamp7 = "%lu.%09lu",
};
