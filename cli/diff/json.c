/* SPDX-License-Identifier: MIT */
/* The comparison as JSON. What a side does not have is null. */
#include "diff.h"
#include "json-numbers.h"

enum { JSON_VERSION = 1 };

static const char *const computes[] = {
	[COMPUTE_DELTA_ABS] = "delta-abs",
	[COMPUTE_DELTA] = "delta",
	[COMPUTE_RATIO] = "ratio",
	[COMPUTE_WDIFF] = "wdiff",
};

static const struct json_layout top_lines = { "\n  ", "\n  ", "\n" };
static const struct json_layout list_lines = { "\n    ", "\n    ", "\n  " };
static const struct json_layout row_lines = { "\n        ", "\n        ", "\n      " };
static const struct json_layout in_line = { " ", " ", " " };

static void put_number(struct json *json, const char *name, bool is_there, double value)
{
	if (is_there)
		json_fixed(json, name, value, 6);
	else
		json_null(json, name);
}

static void put_side(struct json *json, const struct diff *diff, const struct diff_row *row,
		     int side)
{
	const struct share *share = &row->shares[side];
	const struct change *change = &row->changes[side];

	json_object(json, NULL, &in_line);
	json_int(json, "files", share->nr);
	json_uint(json, "period", share->period);
	put_number(json, "percent", share->nr, share->stats.mean);
	if (side) {
		put_number(json, "change", change->has_value, change->value);
		if (diff->has_intervals) {
			put_number(json, "low", change->has_interval, change->low);
			put_number(json, "high", change->has_interval, change->high);
		}
	}
	json_end(json);
}

static void put_row(struct json *json, const struct diff *diff, const struct diff_row *row)
{
	json_object(json, NULL, &in_line);
	for (int i = 0; i < diff->nr_keys; i++)
		json_string(json, xp_key_name(diff->keys[i]), row->cells[i]);
	json_array(json, "sides", &in_line);
	for (int side = 0; side < diff->nr_sides; side++)
		put_side(json, diff, row, side);
	json_end(json);
	json_end(json);
}

static void put_event(struct json *json, const struct diff *diff, const struct diff_event *event)
{
	json_object(json, NULL, &in_line);
	json_string(json, "event", event->name);
	json_array(json, "rows", &row_lines);
	for (size_t i = 0; i < event->nr; i++)
		if (diff_row_is_shown(diff, event->rows[i]))
			put_row(json, diff, event->rows[i]);
	json_end(json);
	json_end(json);
}

void diff_print_json(const struct diff *diff)
{
	struct sink out = SINK_TO_FILE(stdout);
	struct json json;

	json_init(&json, &out, ": ");
	json_object(&json, NULL, &top_lines);
	json_int(&json, "xperf-diff-version", JSON_VERSION);
	json_string(&json, "compute", computes[diff->values->compute]);
	json_array(&json, "files", &list_lines);
	for (int i = 0; i < diff->nr_sources; i++) {
		json_object(&json, NULL, &in_line);
		json_int(&json, "side", diff->sources[i].side);
		json_string(&json, "path", diff->sources[i].path);
		json_end(&json);
	}
	json_end(&json);
	json_array(&json, "events", &list_lines);
	for (int i = 0; i < diff->nr_events; i++)
		put_event(&json, diff, &diff->events[i]);
	json_close(&json);
}
