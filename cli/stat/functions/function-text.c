/* SPDX-License-Identifier: MIT */
/* Calls of functions as people read them: a table, and how long calls took. */
#include <string.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>

#include "function-table.h"
#include "number.h"

enum { WIDTH = 11, HISTOGRAMS = 10, BAR = 40 };

static void put_count(struct sink *out, const struct function_table *table, uint64_t value)
{
	char text[NUMBER_LEN];

	text[number_put(text, number_format_user(), (double)value, 0, table->big_num)] = '\0';
	sink_padded(out, text, WIDTH);
	sink_char(out, ' ');
}

/* Four digits with the unit that fits. */
static void format_time(char text[NUMBER_LEN], double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, " s" }, { 1e6, " ms" }, { 1e3, " us" }, { 0, " ns" } };
	size_t i = 0;
	double value;

	while (ns < units[i].ns)
		i++;
	value = units[i].ns > 0 ? ns / units[i].ns : ns;
	int precision = units[i].ns <= 0 ? 0 : value < 10 ? 3 : value < 100 ? 2 : 1;
	strcpy(text + number_put(text, number_format_user(), value, precision, false),
	       units[i].unit);
}

static void put_time(struct sink *out, double ns, bool known)
{
	char text[NUMBER_LEN] = "-";

	if (known)
		format_time(text, ns);
	sink_padded(out, text, WIDTH);
	sink_char(out, ' ');
}

static void put_heading(struct sink *out, const struct function_table *table)
{
	static const char *const times[] = { "total", "mean", "max" };

	sink_padded(out, "calls", WIDTH);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		sink_padded(out, times[i], WIDTH + 1);
	for (int i = 0; i < NR_PERCENTILES; i++)
		sink_padded(out, percentiles[i].name, WIDTH + 1);
	for (int i = 0; i < table->nr_events; i++) {
		sink_char(out, ' ');
		sink_right(out, xp_evsel_name(xp_evlist_at(table->evlist, i)), WIDTH);
	}
	sink_text(out, "  function\n");
}

static void put_event(struct sink *out, const struct function_table *table,
		      const struct xp_call_event *event)
{
	if (event->calls) {
		put_count(out, table, event->value);
		return;
	}
	sink_padded(out, "-", WIDTH);
	sink_char(out, ' ');
}

/* What the numbers of a row are not of. */
static void put_notes(struct sink *out, const struct function_table *table,
		      const struct function_row *row)
{
	const struct xp_calls *calls = &row->calls;

	if (*calls->reason)
		sink_format(out, "  (%s: %s)", calls->counted ? "no times" : "not counted",
			    calls->reason);
	else if (calls->timed < calls->calls)
		sink_format(out, "  (times of %llu calls)", (unsigned long long)calls->timed);
	if (calls->repeats)
		sink_text(out, "  (with jumps to its beginning)");
	for (int i = 0; i < table->nr_events; i++)
		if (row->events[i].calls && row->events[i].calls < calls->calls)
			sink_format(out, "  (%s of %llu calls)",
				    xp_evsel_name(xp_evlist_at(table->evlist, i)),
				    (unsigned long long)row->events[i].calls);
}

static void put_row(struct sink *out, const struct function_table *table,
		    const struct function_row *row)
{
	const struct xp_calls *calls = &row->calls;

	if (calls->counted)
		put_count(out, table, calls->calls);
	else
		sink_padded(out, "-", WIDTH), sink_char(out, ' ');
	put_time(out, (double)calls->total_ns, calls->timed);
	put_time(out, row->mean_ns, calls->timed);
	put_time(out, (double)calls->max_ns, calls->max_ns);
	for (int i = 0; i < NR_PERCENTILES; i++)
		put_time(out, (double)row->percentile_ns[i], row->percentile_ns[i]);
	for (int i = 0; i < table->nr_events; i++)
		put_event(out, table, &row->events[i]);
	sink_char(out, ' ');
	if (table->many_files)
		sink_escaped(out, calls->file), sink_char(out, ':');
	sink_escaped(out, calls->name);
	put_notes(out, table, row);
	sink_char(out, '\n');
}

static void put_histogram(struct sink *out, const struct function_table *table,
			  const struct function_row *row)
{
	uint64_t most = 0;

	sink_text(out, "\n ");
	sink_escaped(out, row->calls.name);
	sink_text(out, ":\n");
	for (int i = 0; i < NR_POWERS; i++)
		most = row->powers[i] > most ? row->powers[i] : most;
	for (int i = 0; i < NR_POWERS; i++) {
		if (!row->powers[i])
			continue;
		put_time(out, i ? (double)(1ULL << i) : 0, true);
		sink_text(out, "to");
		put_time(out, (double)(2ULL << i), true);
		put_count(out, table, row->powers[i]);
		sink_char(out, ' ');
		for (uint64_t n = (row->powers[i] * BAR + most - 1) / most; n; n--)
			sink_char(out, '#');
		sink_char(out, '\n');
	}
}

static void put_histograms(struct sink *out, const struct function_table *table)
{
	int nr = 0, left = 0;

	for (int i = 0; i < table->nr; i++) {
		if (!table->rows[i].calls.timed)
			continue;
		if (table->verbose || nr < HISTOGRAMS)
			put_histogram(out, table, &table->rows[i]);
		else
			left++;
		nr++;
	}
	if (nr)
		sink_text(out, "\n Percentiles are within 1.6%. Times include those of probes: at "
			       "the end of a call, and of calls in it.\n");
	if (left)
		sink_format(out, " -v also shows how long calls of %d more functions took.\n",
			    left);
}

/* Events that the kernel refused. */
static void put_refused(struct sink *out, const struct function_table *table)
{
	for (int i = 0; i < table->nr_events; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(table->evlist, i);

		if (xp_evsel_support(evsel) == XP_NOT_SUPPORTED)
			sink_format(out, "\n %s is not counted: %s\n", xp_evsel_name(evsel),
				    xp_evsel_reason(evsel));
	}
}

int function_text(const struct function_table *table, FILE *out)
{
	struct sink sink = SINK_TO_FILE(out);

	sink_text(&sink, "\n Calls of functions for ");
	sink_escaped(&sink, table->title);
	sink_text(&sink, ":\n\n");
	put_heading(&sink, table);
	for (int i = 0; i < table->nr; i++)
		put_row(&sink, table, &table->rows[i]);
	put_histograms(&sink, table);
	put_refused(&sink, table);
	sink_text(&sink, "\n ");
	sink_fixed(&sink, table->elapsed_s, 9);
	sink_text(&sink, " seconds time elapsed\n\n");
	int err = sink_flush(&sink);
	sink_fini(&sink);
	return err;
}
