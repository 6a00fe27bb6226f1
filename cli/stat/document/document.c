/* SPDX-License-Identifier: MIT */
/* The document of --json=v1, from its first byte to the last: see document.h. */
#include "document.h"

#include <math.h>
#include <sys/resource.h>

static const struct json_layout lines_1 = { "\n  ", "\n  ", "\n" };
static const struct json_layout lines_2 = { "\n    ", "\n    ", "\n  " };
static const struct json_layout lines_3 = { "\n      ", "\n      ", "\n    " };
static const struct json_layout lines_4 = { "\n        ", "\n        ", "\n      " };

void document_init(struct document *doc, const struct stat_about *about, FILE *out)
{
	*doc = (struct document){ .about = about, .out = SINK_TO_FILE(out) };
}

void document_fini(struct document *doc)
{
	sink_fini(&doc->out);
}

static void begin(struct document *doc)
{
	struct json *json = &doc->json;

	if (doc->is_begun)
		return;
	doc->is_begun = true;
	json_init(json, &doc->out, ": ");
	json_object(json, NULL, &lines_1);
	stat_about_put(doc->about, json);
	json_array(json, "runs", &lines_2);
}

static void begin_run(struct document *doc)
{
	struct json *json = &doc->json;

	begin(doc);
	if (doc->in_run)
		return;
	doc->in_run = true;
	doc->nr_runs++;
	json_object(json, NULL, &lines_3);
	json_int(json, "run", doc->nr_runs);
	json_array(json, "intervals", &lines_4);
}

static void put_rows(const struct document *doc, const struct stat_table *table, bool is_summary,
		     struct json *json)
{
	const struct document_rows rows = {
		.table = table,
		.without_counts = doc->about->config->metric_only,
		.is_summary = is_summary,
	};

	document_put_rows(&rows, json);
}

int document_interval(struct document *doc, const struct stat_table *table, uint64_t length_ns)
{
	struct json *json = &doc->json;

	begin_run(doc);
	json_object(json, NULL, &json_blanks);
	json_uint(json, "end_ns", table->interval_ns);
	json_uint(json, "length_ns", length_ns);
	put_rows(doc, table, false, json);
	json_end(json);
	return sink_flush(&doc->out);
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static void put_exit(const struct xp_exit *end, struct json *json)
{
	json_object(json, "exit", &json_blanks);
	json_int(json, "status", end->status);
	if (end->signal)
		json_int(json, "signal", end->signal);
	else
		json_null(json, "signal");
	json_end(json);
}

/* A process that never was larger than this program is accounted this program's size. */
static void put_usage(const struct document *doc, const struct rusage *usage, struct json *json)
{
	uint64_t rss_bytes = (uint64_t)usage->ru_maxrss * 1024;

	json_object(json, "usage", &json_blanks);
	json_uint(json, "user_ns", ns_of(usage->ru_utime));
	json_uint(json, "system_ns", ns_of(usage->ru_stime));
	if (rss_bytes > doc->least_rss_bytes)
		json_uint(json, "max_rss_bytes", rss_bytes);
	else
		json_null(json, "max_rss_bytes");
	json_int(json, "minor_faults", usage->ru_minflt);
	json_int(json, "major_faults", usage->ru_majflt);
	json_int(json, "voluntary_switches", usage->ru_nvcsw);
	json_int(json, "involuntary_switches", usage->ru_nivcsw);
	json_end(json);
}

/* @result NULL: it did not come to its end. */
static void end_run(struct document *doc, const struct stat_table *table,
		    const struct stat_result *result)
{
	struct json *json = &doc->json;

	json_end(json); /* intervals */
	if (result)
		json_uint(json, "wall_ns", result->wall_ns);
	else
		json_null(json, "wall_ns");
	if (result && result->has_exit)
		put_exit(&result->exit, json);
	else
		json_null(json, "exit");
	if (result && result->has_usage)
		put_usage(doc, &result->usage, json);
	else
		json_null(json, "usage");
	put_rows(doc, table, false, json);
	json_end(json);
	doc->in_run = false;
}

int document_run(struct document *doc, const struct stat_table *table,
		 const struct stat_result *result)
{
	begin_run(doc);
	end_run(doc, table, result);
	return sink_flush(&doc->out);
}

static void put_summary(const struct document *doc, const struct stat_table *table,
			struct json *json)
{
	const struct xp_stats *elapsed = &table->elapsed;

	json_object(json, "summary", &lines_2);
	json_uint(json, "runs", elapsed->n);
	json_object(json, "wall_ns", &json_blanks);
	json_number(json, "mean", round(elapsed->mean * 1e9));
	if (elapsed->n > 1)
		json_number(json, "stderr", round(xp_stats_stderr(elapsed) * 1e9));
	else
		json_null(json, "stderr");
	json_number(json, "min", round(elapsed->min * 1e9));
	json_number(json, "max", round(elapsed->max * 1e9));
	json_end(json);
	put_rows(doc, table, true, json);
	json_end(json);
}

int document_end(struct document *doc, const struct document_end *end)
{
	struct json *json = &doc->json;

	begin(doc);
	if (doc->in_run)
		end_run(doc, NULL, NULL);
	json_end(json); /* runs */
	if (end->table && end->table->elapsed.n)
		put_summary(doc, end->table, json);
	else
		json_null(json, "summary");
	document_put_events(end->table, json);
	if (end->signal)
		json_int(json, "signal", end->signal);
	else
		json_null(json, "signal");
	json_string(json, "error", end->error);
	return json_close(json);
}
