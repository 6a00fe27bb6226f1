/* SPDX-License-Identifier: MIT */
/* Rows as text in perf 6.1's layout: heading, table, call chains. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "numbers.h"

/* The one word of a filter, whose column would say the same in every row; NULL: several, none. */
static const char *only_word(const struct plan *plan, int key)
{
	const struct sample_filter *filter = &plan->report->rec.filter;
	const struct words *words = key == XP_KEY_COMM     ? &filter->comms
				    : key == XP_KEY_DSO    ? &filter->dsos
				    : key == XP_KEY_SYMBOL ? &filter->symbols
							   : NULL;

	return words && words->text && strlen(words->text) == words->len ? words->text : NULL;
}

static void elide(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	bool any_left = false;

	for (int i = 0; i < plan->nr_columns; i++) {
		sheet->elided[i] = only_word(plan, plan->columns[i]) != NULL;
		any_left |= !sheet->elided[i] && !column_is_number(plan->columns[i]);
	}
	if (!any_left)
		memset(sheet->elided, 0, sizeof(sheet->elided));
}

/* Fields are shown of the tracepoints that have them, and sources of data of those events. */
static void elide_fields(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;

	for (int i = 0; i < plan->nr_columns; i++) {
		if (plan->columns[i] >= EXTRA_FIELD)
			sheet->elided[i] = !trace_field_width(plan, plan->columns[i], sheet->event);
		else if (number_is_split(plan->columns[i]))
			sheet->elided[i] = !*number_heading(sheet, plan->columns[i]);
	}
}

static void measure(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	const struct xp_profile_row *row;

	for (int i = 0; i < plan->nr_columns; i++) {
		int width = column_least(sheet, plan->columns[i]);

		for (size_t r = 0;
		     !plan->widths[i] &&
		     (row = xp_profile_row_at(sheet->report->profile, sheet->event, r)) != NULL;
		     r++) {
			int wanted = column_wants(sheet, plan->columns[i], row);

			width = wanted > width ? wanted : width;
		}
		sheet->widths[i] = plan->widths[i] ? plan->widths[i] : width;
	}
}

static void put_headings(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->show.separator;
	const char *between = "";

	number_put_titles(sheet);
	fputs("# ", sheet->file);
	for (int i = 0; i < plan->nr_columns; i++) {
		const char *heading = column_heading(sheet, plan->columns[i]);

		if (sheet->elided[i])
			continue;
		if (column_is_number(plan->columns[i]) || plan->columns[i] >= EXTRA_FIELD ||
		    number_is_split(plan->columns[i]))
			fprintf(sheet->file, "%s%*s", between, sheet->widths[i], heading);
		else
			fprintf(sheet->file, "%s%-*.*s", between, sheet->widths[i],
				sheet->widths[i], heading);
		between = separator ? separator : "  ";
	}
	fputc('\n', sheet->file);
	if (separator)
		return;
	between = "";
	fputs("# ", sheet->file);
	for (int i = 0; i < plan->nr_columns; i++) {
		if (sheet->elided[i])
			continue;
		fputs(between, sheet->file);
		for (int c = 0; c < sheet->widths[i]; c++)
			fputc('.', sheet->file);
		between = "  ";
	}
	fputs("\n#\n", sheet->file);
}

/* There can be very many rows, and one thread writes. */
static void put_row(struct sheet *sheet, const struct xp_profile_row *row)
{
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->show.separator;
	const char *between = separator ? "" : "  ";
	int last = plan->nr_columns - 1;

	while (last > 0 && sheet->elided[last])
		last--;
	for (int i = 0; i <= last; i++) {
		if (sheet->elided[i])
			continue;
		int len = column_cell(sheet, plan->columns[i], sheet->widths[i], row);

		if (i < last)
			column_pad(sheet, len, sheet->widths[i]);
		fputs_unlocked(between, sheet->file);
		fputs_unlocked(sheet->cell, sheet->file);
		between = separator ? separator : "  ";
	}
	fputc_unlocked('\n', sheet->file);
}

static double share(uint64_t period, uint64_t total)
{
	return total ? 100.0 * (double)period / (double)total : 0;
}

static void put_rows(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	struct xp_profile *profile = sheet->report->profile;
	uint64_t total = sheet->totals[0];
	const struct xp_profile_row *row;

	for (size_t i = 0; (row = xp_profile_row_at(profile, sheet->event, i)) != NULL; i++) {
		uint64_t period = plan->children ? row->sum.children_period : row->sum.period;
		const struct xp_chain *root;

		if (share(period, total) < plan->values->show.percent_limit)
			continue;
		put_row(sheet, row);
		if (graph_can_show(plan, total, period) &&
		    !xp_profile_chains(profile, sheet->event, i, &root))
			graph_print(sheet->file, root, plan, total, row, period);
	}
}

/* What --show-ref-call-graph is about: call chains of an event that was not to have any. Those of
 * another event belong to its samples if both were read as a group, on samples of its leader. */
static bool is_without_chains(const struct sheet *sheet, int event)
{
	const char *name = xp_data_event_at(sheet->report->rec.data, event)->name;

	return sheet->plan->values->show.show_references && name && strstr(name, "call-graph=no");
}

static bool has_reference(const struct sheet *sheet, int event)
{
	const struct xp_data *data = sheet->report->rec.data;
	const struct xp_data_event *own = xp_data_event_at(data, event);
	const struct xp_data_event *leader = xp_data_event_at(data, own->leader);

	return (own->attr.sample_type | leader->attr.sample_type) & XP_SAMPLE_CALLCHAIN;
}

static void put_reference(const struct sheet *sheet)
{
	for (int i = 0; i < sheet->nr_members; i++)
		if (is_without_chains(sheet, sheet->event + i) &&
		    has_reference(sheet, sheet->event + i)) {
			fputs(", show reference callgraph", sheet->file);
			return;
		}
}

static void put_missing_reference(const struct sheet *sheet)
{
	for (int i = 0; i < sheet->nr_members; i++)
		if (is_without_chains(sheet, sheet->event + i) &&
		    !has_reference(sheet, sheet->event + i))
			fprintf(sheet->file,
				"# No reference callgraph: samples of '%s' have no call chains; "
				"in a group with :S they have the leader's\n",
				escaped(xp_data_event_at(sheet->report->rec.data, sheet->event + i)
						->name));
}

/* What shares are of, and what it consists of. */
static void put_times(const struct sheet *sheet)
{
	double on_ms = (double)sheet->totals[0] / 1e6, off_ms = (double)sheet->totals[1] / 1e6;

	fprintf(sheet->file, "\n# Time: %.3f ms on CPUs, %.3f ms off CPUs; shares are of the sum\n",
		on_ms, off_ms);
}

/* "1K": thousands and more are cut. Source: perf 6.1. */
void sheet_put_samples(const struct sheet *sheet, uint64_t samples, uint64_t period)
{
	static const char units[] = " KMG";
	const struct report *report = sheet->report;
	const char *group = xp_data_event_at(report->rec.data, sheet->event)->group_name;
	bool is_group = sheet->nr_members > 1, in_braces = is_group && !sheet->plan->forced_group;
	int unit = 0;

	for (; samples > 1000 && units[unit + 1]; unit++)
		samples /= 1000;
	fprintf(sheet->file, "# Samples: %" PRIu64 "%c of event%s '", samples, units[unit],
		is_group ? "s" : "");
	if (in_braces)
		fprintf(sheet->file, "%s { ", group ? escaped(group) : "anon group");
	for (int i = 0; i < sheet->nr_members; i++) {
		const char *name = xp_data_event_at(report->rec.data, sheet->event + i)->name;

		fprintf(sheet->file, "%s%s", i ? ", " : "", name ? escaped(name) : "?");
	}
	fprintf(sheet->file, "%s'", in_braces ? " }" : "");
	if (sheet->plan->values->read.filter.time)
		fprintf(sheet->file, " (time slices: %s)", sheet->plan->values->read.filter.time);
	put_reference(sheet);
	if (!sheet->plan->values->count.mem_mode) {
		if (sheet_has_waits(sheet))
			put_times(sheet);
		else
			fprintf(sheet->file, "\n# Event count (approx.): %" PRIu64 "\n", period);
		put_missing_reference(sheet);
		fputs("#\n", sheet->file);
		return;
	}
	const char *sort = sheet->plan->values->count.sort;
	fprintf(sheet->file, "\n# Total weight : %" PRIu64 "\n# Sort order   : %s\n#\n", period,
		sort ? escaped(sort) : keys_default(sheet->plan, report));
}

uint64_t sheet_begin(struct sheet *sheet, int event)
{
	uint64_t period = 0;

	sheet->event = event;
	sheet->nr_members = plan_members(sheet->plan, sheet->report, event);
	for (int i = 0; i < sheet->nr_members; i++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		xp_profile_total_at(sheet->report->profile, event + i, &total);
		sheet->totals[i] = sheet->plan->relative ? total.kept_period : total.period;
		sheet->latencies[i] = sheet->plan->relative ? total.kept_latency : total.latency;
		period += sheet->totals[i];
	}
	return period;
}

void sheet_measure(struct sheet *sheet, uint64_t period)
{
	for (int i = 0; sheet_has_waits(sheet) && i < sheet->nr_members; i++)
		sheet->totals[i] = period;
	number_totals(sheet);
	elide_fields(sheet);
	measure(sheet);
}

/* An event with those that are shown beside it. */
static void put_event(struct sheet *sheet, int event)
{
	const struct plan *plan = sheet->plan;
	uint64_t samples = plan_samples(plan, sheet->report, event);
	uint64_t period = sheet_begin(sheet, event);

	if (!samples)
		return;
	if (!plan->values->show.quiet)
		sheet_put_samples(sheet, samples, period);
	if (sheet->report->blocks) {
		blocks_print(sheet->file, sheet->report->blocks, sheet->event);
		return;
	}
	sheet_measure(sheet, period);
	if (!plan->values->show.quiet)
		(plan->values->show.hierarchy ? hierarchy_headings : put_headings)(sheet);
	(plan->values->show.hierarchy ? hierarchy_rows : put_rows)(sheet);
	fputs("\n\n", sheet->file);
}

static void put_elided(const struct sheet *sheet)
{
	for (int i = 0; i < sheet->plan->nr_columns; i++)
		if (sheet->elided[i])
			fprintf(sheet->file, "# %s: %s\n",
				key_name(sheet->plan, sheet->plan->columns[i], 0),
				escaped(only_word(sheet->plan, sheet->plan->columns[i])));
}

static void put_all(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	int nr = sheet->report->rec.nr_events;

	if (!plan->values->show.quiet) {
		put_elided(sheet);
		fprintf(sheet->file, "#\n# Total Lost Samples: %" PRIu64 "\n",
			sheet->report->tally.lost_samples);
		quality_print(sheet->file, sheet->report);
		fputs("#\n", sheet->file);
	}
	for (int i = 0; i < nr; i += sheet->nr_members)
		put_event(sheet, i);
}

struct sheet *sheet_new(FILE *file, struct report *report, const struct plan *plan)
{
	struct sheet *sheet = calloc(1, sizeof(*sheet));

	if (!sheet)
		return NULL;
	sheet->file = file;
	sheet->plan = plan;
	sheet->report = report;
	sheet->totals = calloc((size_t)report->rec.nr_events + 1, 2 * sizeof(*sheet->totals));
	if (!sheet->totals) {
		free(sheet);
		return NULL;
	}
	sheet->latencies = sheet->totals + report->rec.nr_events + 1;
	elide(sheet);
	return sheet;
}

void sheet_free(struct sheet *sheet)
{
	if (sheet)
		free(sheet->totals);
	free(sheet);
}

void stdio_print(FILE *file, struct report *report, const struct plan *plan)
{
	struct sheet *sheet = sheet_new(file, report, plan);

	if (sheet)
		put_all(sheet);
	sheet_free(sheet);
}
