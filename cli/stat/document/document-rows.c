/* SPDX-License-Identifier: MIT */
/* Tables in the document of --json=v1: counts, metrics, and the events they are of. */
#include "document.h"

#include <string.h>
#include <xperf/attr.h>
#include <xperf/cgroup.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/metric.h>

#include "render.h"

static const struct json_layout rows_layout = { "\n        ", "\n        ", "" };
static const struct json_layout events_layout = { "\n    ", "\n    ", "\n  " };

/* --- which row it is --- */

#define MODE(mode) (1U << XP_AGGR_##mode)
#define IN_DIES    (MODE(DIE) | MODE(CORE) | MODE(CLUSTER) | MODE(CACHE))

static const struct {
	const char *name;
	size_t offset;
	unsigned int modes; /* that have it */
} place_fields[] = {
	{ "socket", offsetof(struct xp_place, socket), MODE(SOCKET) | IN_DIES },
	{ "die", offsetof(struct xp_place, die), IN_DIES },
	{ "core", offsetof(struct xp_place, core), MODE(CORE) },
	{ "cluster", offsetof(struct xp_place, cluster), MODE(CLUSTER) },
	{ "cache_level", offsetof(struct xp_place, cache_level), MODE(CACHE) },
	{ "cache", offsetof(struct xp_place, cache), MODE(CACHE) },
	{ "node", offsetof(struct xp_place, node), MODE(NODE) },
};

static void put_place(const struct xp_place *place, enum xp_aggr_mode mode, struct json *json)
{
	for (size_t i = 0; i < sizeof(place_fields) / sizeof(place_fields[0]); i++) {
		int nr;

		if (!(place_fields[i].modes >> mode & 1))
			continue;
		memcpy(&nr, (const char *)place + place_fields[i].offset, sizeof(nr));
		if (nr < 0)
			json_null(json, place_fields[i].name);
		else
			json_int(json, place_fields[i].name, nr);
	}
}

static void put_thread(struct xp_threads *threads, int idx, struct json *json)
{
	json_int(json, "tid", xp_threads_tid(threads, idx));
	json_string(json, "comm", xp_threads_comm(threads, idx));
}

static void put_identity(const struct stat_table *table, const struct stat_row *row,
			 struct json *json)
{
	enum xp_aggr_mode mode = row->by_core ? XP_AGGR_CORE : xp_aggr_get_mode(table->aggr);

	json_string(json, "event", row->name);
	json_int(json, "index", xp_evsel_index(row->evsel));
	if (xp_evlist_has_cgroups(table->evlist))
		json_string(json, "cgroup", xp_evsel_cgroup(row->evsel));
	if (mode == XP_AGGR_THREAD)
		put_thread(xp_aggr_threads(table->aggr), row->id->thread_idx, json);
	else if (mode == XP_AGGR_CPU)
		json_int(json, "cpu", row->id->cpu.nr);
	else if (mode != XP_AGGR_GLOBAL)
		put_place(&row->id->place, mode, json);
	if (mode != XP_AGGR_THREAD && mode != XP_AGGR_CPU && mode != XP_AGGR_GLOBAL)
		json_int(json, "cpus", row->nr_cpus);
}

/* --- counts --- */

static const char *const states[] = {
	[ROW_COUNTED] = "counted",
	[ROW_NOT_COUNTED] = "not counted",
	[ROW_NOT_SUPPORTED] = "not supported",
};

/* Why there is no count. */
static const char *reason_of(const struct stat_table *table, const struct stat_row *row,
			     struct wording *buf)
{
	const char *reason = cli_words(xp_evsel_reason(row->evsel), buf);

	if (*reason)
		return reason;
	if (xp_evsel_tool(row->evsel) != XP_TOOL_NONE && row->id != xp_aggr_id_at(table->aggr, 0))
		return "it is measured once, and shown in the first row";
	return row->enabled_ns ? "it was never on a counter" : "it was never enabled";
}

/* What one run or interval gave. */
static void put_raw(const struct stat_row *row, struct json *json)
{
	json_number(json, "value", row->value);
	json_uint(json, "raw", row->raw);
}

/* What several gave. */
static void put_means(const struct stat_row *row, struct json *json)
{
	double scale = xp_evsel_scale(row->evsel);

	json_number(json, "value", row->value);
	if (row->stats->n > 1)
		json_number(json, "stderr", xp_stats_stderr(row->stats) * scale);
	else
		json_null(json, "stderr");
	json_number(json, "min", row->stats->min * scale);
	json_number(json, "max", row->stats->max * scale);
	json_uint(json, "runs", row->stats->n);
}

static void put_none(bool is_summary, struct json *json)
{
	static const char *const of_run[] = { "value", "raw", NULL };
	static const char *const of_summary[] = { "value", "stderr", "min", "max", NULL };
	const char *const *names = is_summary ? of_summary : of_run;

	for (; *names; names++)
		json_null(json, *names);
	if (is_summary)
		json_int(json, "runs", 0);
}

static void put_count(const struct document_rows *rows, const struct stat_row *row,
		      struct json *json)
{
	struct wording buf;

	json_object(json, NULL, &json_blanks);
	put_identity(rows->table, row, json);
	json_string(json, "unit", xp_evsel_unit(row->evsel));
	json_string(json, "status", states[row->state]);
	if (row->state != ROW_COUNTED)
		put_none(rows->is_summary, json);
	else if (rows->is_summary)
		put_means(row, json);
	else
		put_raw(row, json);
	json_uint(json, "enabled_ns", row->enabled_ns);
	json_uint(json, "running_ns", row->running_ns);
	json_string(json, "reason",
		    row->state == ROW_COUNTED ? NULL : reason_of(rows->table, row, &buf));
	json_end(json);
}

/* --- metrics --- */

/* Texts after numbers that are names only to those who know what comes before; the unit does not
 * depend on the value here. */
static const struct own_metric {
	const char *text, *name, *unit;
	double factor;
} own_metrics[] = {
	{ "/sec", "rate", "/sec", 1 },
	{ "K/sec", "rate", "/sec", 1e3 },
	{ "M/sec", "rate", "/sec", 1e6 },
	{ "G/sec", "rate", "/sec", 1e9 },
	{ "CPUs utilized", "CPUs utilized", "CPUs", 1 },
	{ "GHz", "frequency", "GHz", 1 },
};

static struct own_metric own_metric(const struct xp_metric *shown)
{
	bool is_share = strchr(shown->suffix, '%');

	for (size_t i = 0; i < sizeof(own_metrics) / sizeof(own_metrics[0]); i++)
		if (!strcmp(own_metrics[i].text, shown->unit))
			return own_metrics[i];
	return (struct own_metric){ shown->unit, shown->unit, is_share ? "%" : "", 1 };
}

/* Of an event. */
static void put_own(const struct row_metric *metric, struct json *json)
{
	struct own_metric own = own_metric(&metric->shown);

	json_string(json, "name", own.name);
	json_string(json, "unit", own.unit);
	json_number(json, "value", metric->shown.value * own.factor);
	json_null(json, "threshold");
	json_null(json, "state");
	json_null(json, "reason");
}

/* By name. */
static void put_named(const struct row_metric *metric, struct json *json)
{
	const char *threshold = metric->def->threshold_text;

	json_string(json, "name", metric->def->name);
	json_string(json, "unit", metric->def->unit);
	if (metric->reason)
		json_null(json, "value");
	else
		json_number(json, "value", metric->shown.value);
	json_string(json, "threshold", *threshold ? threshold : NULL);
	json_string(json, "state", metric->threshold);
	json_string(json, "reason", metric->reason);
}

static void put_metric(const struct stat_table *table, const struct stat_row *row,
		       const struct row_metric *metric, struct json *json)
{
	json_object(json, NULL, &json_blanks);
	put_identity(table, row, json);
	if (metric->def)
		put_named(metric, json);
	else
		put_own(metric, json);
	json_end(json);
}

void document_put_rows(const struct document_rows *rows, struct json *json)
{
	const struct stat_table *table = rows->table;
	int nr = table ? table->nr_rows : 0;

	json_array(json, "counts", &rows_layout);
	for (int i = 0; i < nr && !rows->without_counts; i++)
		put_count(rows, &table->rows[i], json);
	json_end(json);
	json_array(json, "metrics", &rows_layout);
	for (int i = 0; i < nr; i++)
		for (int m = 0; m < table->rows[i].nr_metrics; m++)
			put_metric(table, &table->rows[i], &table->rows[i].metrics[m], json);
	json_end(json);
}

/* --- events --- */

static void put_event(const struct xp_evsel *evsel, struct json *json)
{
	const struct xp_attr *attr = xp_evsel_attr_const(evsel);
	struct wording buf;
	const char *reason = cli_words(xp_evsel_reason(evsel), &buf);

	json_object(json, NULL, &json_blanks);
	json_string(json, "name", xp_evsel_own_name(evsel));
	json_string(json, "cgroup", xp_evsel_cgroup(evsel));
	json_int(json, "leader", xp_evsel_index(xp_evsel_leader(evsel)));
	json_bool(json, "user", !attr->exclude_user);
	json_bool(json, "kernel", !attr->exclude_kernel);
	json_bool(json, "supported", xp_evsel_support(evsel) != XP_NOT_SUPPORTED);
	json_string(json, "reason", *reason ? reason : NULL);
	json_end(json);
}

void document_put_events(const struct stat_table *table, struct json *json)
{
	int nr = table && table->evlist ? xp_evlist_nr(table->evlist) : 0;

	json_array(json, "events", &events_layout);
	for (int i = 0; i < nr; i++)
		put_event(xp_evlist_at(table->evlist, i), json);
	json_end(json);
}
