/* SPDX-License-Identifier: MIT */
/* Calls of functions for machines: CSV, JSON by line, one JSON document. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "function-table.h"
#include "json-numbers.h"
#include "separator.h"

/* --- CSV --- */

/* A separator in a name would begin a field. */
static void put_field(struct sink *out, const char *text, const char *separator)
{
	char *name = strdup(text);

	if (!name) {
		out->err = -ENOMEM;
		return;
	}
	separator_hide(name, separator);
	sink_escaped(out, name);
	free(name);
}

static void put_number(struct sink *out, uint64_t value, bool known, const char *separator)
{
	if (known)
		sink_dec(out, value, 0, ' ');
	sink_text(out, separator);
}

static void csv_row(struct sink *out, const struct function_table *table,
		    const struct function_row *row)
{
	const struct xp_calls *calls = &row->calls;
	const char *separator = table->separator;

	put_number(out, calls->calls, calls->counted, separator);
	put_number(out, calls->timed, calls->counted, separator);
	put_number(out, calls->total_ns, calls->timed, separator);
	put_number(out, calls->max_ns, calls->max_ns, separator);
	for (int i = 0; i < NR_PERCENTILES; i++)
		put_number(out, row->percentile_ns[i], row->percentile_ns[i], separator);
	put_field(out, calls->name, separator);
	sink_text(out, separator);
	put_field(out, calls->file, separator);
	sink_text(out, separator);
	put_field(out, calls->reason, separator);
	for (int i = 0; i < table->nr_events; i++) {
		sink_text(out, separator);
		put_field(out, xp_evsel_name(xp_evlist_at(table->evlist, i)), separator);
		sink_text(out, separator);
		put_number(out, row->events[i].value, row->events[i].calls, separator);
		sink_dec(out, row->events[i].calls, 0, ' ');
	}
	sink_char(out, '\n');
}

int function_csv(const struct function_table *table, FILE *out)
{
	struct sink sink = SINK_TO_FILE(out);

	for (int i = 0; i < table->nr; i++)
		csv_row(&sink, table, &table->rows[i]);
	int err = sink_flush(&sink);
	sink_fini(&sink);
	return err;
}

/* --- JSON --- */

static void put_uint(struct json *json, const char *name, uint64_t value, bool known)
{
	if (known)
		json_uint(json, name, value);
	else
		json_null(json, name);
}

static void json_times(struct json *json, const struct function_row *row)
{
	const struct xp_calls *calls = &row->calls;
	char name[16];

	put_uint(json, "total_ns", calls->total_ns, calls->timed);
	if (calls->timed)
		json_fixed(json, "mean_ns", row->mean_ns, 1);
	else
		json_null(json, "mean_ns");
	put_uint(json, "max_ns", calls->max_ns, calls->max_ns);
	for (int i = 0; i < NR_PERCENTILES; i++) {
		snprintf(name, sizeof(name), "%s_ns", percentiles[i].name);
		put_uint(json, name, row->percentile_ns[i], row->percentile_ns[i]);
	}
	json_array(json, "histogram", &json_blanks);
	for (int i = 0; i < NR_POWERS; i++) {
		if (!row->powers[i])
			continue;
		json_object(json, NULL, &json_blanks);
		json_uint(json, "from_ns", i ? 1ULL << i : 0);
		json_uint(json, "below_ns", 2ULL << i);
		json_uint(json, "calls", row->powers[i]);
		json_end(json);
	}
	json_end(json);
}

static void json_events(struct json *json, const struct function_table *table,
			const struct function_row *row)
{
	json_array(json, "events", &json_blanks);
	for (int i = 0; i < table->nr_events; i++) {
		json_object(json, NULL, &json_blanks);
		json_string(json, "event", xp_evsel_name(xp_evlist_at(table->evlist, i)));
		put_uint(json, "value", row->events[i].value, row->events[i].calls);
		json_uint(json, "calls", row->events[i].calls);
		json_string(json, "reason", xp_evsel_reason(xp_evlist_at(table->evlist, i)));
		json_end(json);
	}
	json_end(json);
}

static void json_row(struct json *json, const struct function_table *table,
		     const struct function_row *row)
{
	const struct xp_calls *calls = &row->calls;

	json_object(json, NULL, &json_blanks);
	json_string(json, "function", calls->name);
	json_string(json, "file", calls->file);
	put_uint(json, "calls", calls->calls, calls->counted);
	put_uint(json, "timed", calls->timed, calls->counted);
	json_times(json, row);
	json_events(json, table, row);
	json_bool(json, "jumps_to_beginning", calls->repeats);
	json_uint(json, "left_out", calls->left_out);
	json_string(json, "reason", calls->reason);
	json_end(json);
}

int function_json(const struct function_table *table, FILE *out)
{
	struct sink sink = SINK_TO_FILE(out);
	struct json json;

	for (int i = 0; i < table->nr; i++) {
		json_init(&json, &sink, " : ");
		json_row(&json, table, &table->rows[i]);
		sink_char(&sink, '\n');
	}
	int err = sink_flush(&sink);
	sink_fini(&sink);
	return err;
}

int function_document(const struct function_table *table, FILE *out)
{
	static const struct json_layout lines = { "\n", "\n", "\n" };
	struct sink sink = SINK_TO_FILE(out);
	struct json json;

	json_init(&json, &sink, ": ");
	json_object(&json, NULL, &json_blanks);
	json_string(&json, "schema", "xperf-functions-1");
	json_string(&json, "target", table->title);
	json_fixed(&json, "elapsed_s", table->elapsed_s, 9);
	json_fixed(&json, "percentile_error_pct", 1.6, 1);
	json_array(&json, "functions", &lines);
	for (int i = 0; i < table->nr; i++)
		json_row(&json, table, &table->rows[i]);
	return json_close(&json);
}
