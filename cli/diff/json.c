/* SPDX-License-Identifier: MIT */
/* The comparison as JSON. What a side does not have is null. */
#include <inttypes.h>

#include "diff.h"
#include "json.h"

enum { JSON_VERSION = 1 };

static const char *const computes[] = {
	[COMPUTE_DELTA_ABS] = "delta-abs",
	[COMPUTE_DELTA] = "delta",
	[COMPUTE_RATIO] = "ratio",
	[COMPUTE_WDIFF] = "wdiff",
};

static void print_number(const char *name, bool is_there, double value)
{
	if (is_there)
		printf(", \"%s\": %.6f", name, value);
	else
		printf(", \"%s\": null", name);
}

static void print_side(const struct diff *diff, const struct diff_row *row, int side)
{
	const struct share *share = &row->shares[side];
	const struct change *change = &row->changes[side];

	printf("{ \"files\": %d, \"period\": %" PRIu64, share->nr, share->period);
	print_number("percent", share->nr, share->stats.mean);
	if (side) {
		print_number("change", change->has_value, change->value);
		if (diff->has_intervals) {
			print_number("low", change->has_interval, change->low);
			print_number("high", change->has_interval, change->high);
		}
	}
	fputs(" }", stdout);
}

static void print_row(const struct diff *diff, const struct diff_row *row, bool is_first)
{
	printf("%s\n        { ", is_first ? "" : ",");
	for (int i = 0; i < diff->nr_keys; i++) {
		printf("\"%s\": ", xp_key_name(diff->keys[i]));
		json_string(stdout, row->cells[i]);
		fputs(", ", stdout);
	}
	fputs("\"sides\": [ ", stdout);
	for (int side = 0; side < diff->nr_sides; side++) {
		fputs(side ? ", " : "", stdout);
		print_side(diff, row, side);
	}
	fputs(" ] }", stdout);
}

static void print_event(const struct diff *diff, const struct diff_event *event, bool is_first)
{
	bool is_first_row = true;

	printf("%s\n    { \"event\": ", is_first ? "" : ",");
	json_string(stdout, event->name);
	fputs(", \"rows\": [", stdout);
	for (size_t i = 0; i < event->nr; i++) {
		if (!diff_row_is_shown(diff, event->rows[i]))
			continue;
		print_row(diff, event->rows[i], is_first_row);
		is_first_row = false;
	}
	fputs("\n      ] }", stdout);
}

void diff_print_json(const struct diff *diff)
{
	printf("{\n  \"xperf-diff-version\": %d,\n  \"compute\": \"%s\",\n  \"files\": [",
	       JSON_VERSION, computes[diff->wishes->compute]);
	for (int i = 0; i < diff->nr_sources; i++) {
		printf("%s\n    { \"side\": %d, \"path\": ", i ? "," : "", diff->sources[i].side);
		json_string(stdout, diff->sources[i].path);
		fputs(" }", stdout);
	}
	fputs("\n  ],\n  \"events\": [", stdout);
	for (int i = 0; i < diff->nr_events; i++)
		print_event(diff, &diff->events[i], !i);
	fputs("\n  ]\n}\n", stdout);
}
