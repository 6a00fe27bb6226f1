/* SPDX-License-Identifier: MIT */
/* The comparison for people: the commands, how their times are distributed, a table for each. */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plural.h"
#include "terminal.h"
#include "utf8.h"
#include "wording.h"

enum { BINS = 24 };

/* --- spark lines --- */

/* From low to high, in UTF-8 and without. */
static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const plain_bars[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
enum { HEIGHTS = sizeof(bars) / sizeof(bars[0]) };

/* As setlocale(3) chooses: the first that is set. */
static bool has_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return false;
}

/* Most values are between these; the ends of the line have the others, too. */
static void find_range(const struct findings *f, double *ret_low, double *ret_high)
{
	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (size_t i = 0; i < f->m->contenders.nr; i++) {
		const struct summary *s = findings_summary(f, i, METRIC_WALL);
		size_t rest = s->nr_known / 20;

		*ret_low = fmin(*ret_low, s->sorted[rest]);
		*ret_high = fmax(*ret_high, s->sorted[s->nr_known - 1 - rest]);
	}
}

static void put_spark_line(const struct summary *s, double low, double high, struct sink *out)
{
	const char *const *shown = has_utf8() ? bars : plain_bars;
	size_t bins[BINS] = { 0 }, most = 1;

	for (size_t i = 0; i < s->nr_known; i++) {
		double place = high > low ? (s->sorted[i] - low) / (high - low) * BINS : 0;
		size_t bin = place < 0 ? 0 : place >= BINS ? BINS - 1 : (size_t)place;

		if (++bins[bin] > most)
			most = bins[bin];
	}
	for (size_t i = 0; i < BINS; i++)
		sink_text(out, shown[(bins[i] * (HEIGHTS - 1) + most - 1) / most]);
}

/* Of stored runs. */
static void put_origin(const struct findings *f, size_t contender, struct sink *out)
{
	size_t nr = measured_runs(f->m, contender);

	if (!f->m->contenders.at[contender].stored)
		return;
	sink_format(out, " (%zu stored %s, ", nr, plural(nr, "run", "runs"));
	sink_escaped(out, f->m->config->import);
	sink_char(out, ')');
}

static void put_commands(const struct findings *f, struct sink *out)
{
	const struct metric *wall = &f->m->metrics.at[METRIC_WALL];
	char label[WORDING_LEN], text[WORDING_LEN];
	double low, high;

	find_range(f, &low, &high);
	for (size_t i = 0; i < f->m->contenders.nr; i++) {
		word_label(i, label);
		sink_padded(out, label, -4);
		sink_char(out, '|');
		put_spark_line(findings_summary(f, i, METRIC_WALL), low, high, out);
		sink_text(out, "|  ");
		sink_escaped(out, f->m->contenders.at[i].name);
		put_origin(f, i, out);
		sink_char(out, '\n');
	}
	word_value(wall, low, text);
	sink_format(out, "    %s", text);
	word_value(wall, high, label);
	sink_padded(out, label, BINS + 2 - (int)strlen(text));
	sink_text(out, "  wall time of each round\n");
}

/* --- tables --- */

/* Columns; they grow with what is in them. */
struct widths {
	int name, value, change;
};

static void grow(int *width, const char *text, int blanks)
{
	int len = utf8_columns(text) + blanks;

	*width = len > *width ? len : *width;
}

static void word_summary(const struct findings *f, size_t contender, size_t metric,
			 char text[WORDING_LEN])
{
	const struct summary *s = findings_summary(f, contender, metric);

	if (s->nr_known)
		word_value(&f->m->metrics.at[metric], s->median, text);
	else
		strcpy(text, "-");
}

/* The estimate, and between what it lies. */
static void word_interval(const struct findings *f, size_t contender, size_t metric,
			  char texts[3][WORDING_LEN])
{
	const struct change *change = &findings_at(f, contender, metric)->change;
	const double numbers[] = { change->estimate, change->low, change->high };

	for (size_t i = 0; i < 3; i++)
		word_change(&f->m->metrics.at[metric], change->is_ratio, numbers[i], texts[i]);
}

static void put_change(const struct findings *f, size_t contender, size_t metric, int width,
		       struct sink *out)
{
	static const char *const between[] = { "  [", " ..", "]  " };
	char texts[3][WORDING_LEN], verdict[WORDING_LEN];

	if (!findings_at(f, contender, metric)->is_known) {
		bool is_stored =
			!f->m->contenders.nr_stored || findings_summary(f, 0, metric)->nr_known;

		sink_text(out, is_stored ? "  not known in all runs" : "  not in the stored runs");
		return;
	}
	word_interval(f, contender, metric, texts);
	for (size_t i = 0; i < 3; i++) {
		sink_padded(out, texts[i], width);
		sink_text(out, between[i]);
	}
	word_verdict(f, contender, metric, verdict);
	sink_text(out, verdict);
}

static bool is_known(const struct findings *f, size_t contender, size_t metric)
{
	return findings_summary(f, 0, metric)->nr_known ||
	       findings_summary(f, contender, metric)->nr_known;
}

static struct widths find_widths(const struct findings *f, size_t contender)
{
	struct widths widths = { .name = 18, .value = 13, .change = 10 };
	char texts[3][WORDING_LEN];

	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		if (!is_known(f, contender, i))
			continue;
		grow(&widths.name, f->m->metrics.at[i].name, 1);
		word_summary(f, 0, i, texts[0]);
		word_summary(f, contender, i, texts[1]);
		grow(&widths.value, texts[0], 2);
		grow(&widths.value, texts[1], 2);
		if (!contender || !findings_at(f, contender, i)->is_known)
			continue;
		word_interval(f, contender, i, texts);
		for (size_t t = 0; t < 3; t++)
			grow(&widths.change, texts[t], 1);
	}
	return widths;
}

static void put_row(const struct findings *f, size_t contender, size_t metric,
		    const struct widths *widths, struct sink *out)
{
	char text[WORDING_LEN];

	sink_left(out, f->m->metrics.at[metric].name, widths->name);
	word_summary(f, 0, metric, text);
	sink_padded(out, text, widths->value);
	if (contender) {
		word_summary(f, contender, metric, text);
		sink_padded(out, text, widths->value);
		put_change(f, contender, metric, widths->change, out);
	}
	sink_char(out, '\n');
}

static void put_table(const struct findings *f, size_t contender, struct sink *out)
{
	struct widths widths = find_widths(f, contender);
	char label[WORDING_LEN];

	word_label(contender, label);
	sink_format(out, "\n%*s%*s", -widths.name, "median", widths.value, "A");
	if (contender)
		sink_format(out, "%*s   change from A to %s", widths.value, label, label);
	sink_char(out, '\n');
	for (size_t i = 0; i < f->m->metrics.nr; i++)
		if (is_known(f, contender, i))
			put_row(f, contender, i, &widths, out);
}

static void put_unknown(const struct findings *f, struct sink *out)
{
	bool is_first = true;

	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		if (f->m->metrics.at[i].reason || findings_is_counted(f, i))
			continue;
		sink_text(out, is_first ? "\nNot known: " : ", ");
		sink_escaped(out, f->m->metrics.at[i].name);
		is_first = false;
	}
	if (!is_first)
		sink_char(out, '\n');
}

/* Each has a line. */
static void put_reasons(const struct findings *f, struct sink *out)
{
	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		const struct metric *metric = &f->m->metrics.at[i];

		if (!metric->reason)
			continue;
		sink_text(out,
			  findings_is_counted(f, i) ? "Not known in all runs: " : "Not known: ");
		sink_escaped(out, metric->name);
		sink_text(out, ": ");
		sink_escaped(out, metric->reason);
		sink_char(out, '\n');
	}
}

void render_text(const struct findings *f, struct sink *out)
{
	size_t nr = f->m->contenders.nr, nr_run = nr - f->m->contenders.nr_stored;

	sink_format(out, "%zu %s, %zu %s in random order (--seed %llu)\n\n", nr_run,
		    plural(nr_run, "command", "commands"), f->nr_rounds,
		    plural(f->nr_rounds, "round", "rounds"), (unsigned long long)f->m->seed);
	put_commands(f, out);
	for (size_t i = nr > 1 ? 1 : 0; i < nr; i++)
		put_table(f, i, out);
	put_unknown(f, out);
	put_reasons(f, out);
	if (nr > 1)
		sink_format(out, "\nThe intervals hold all together in 95 %% of comparisons%s.\n",
			    nr > nr_run ? ", if the machine was the same both times" : "");
	render_health(f, out);
}
