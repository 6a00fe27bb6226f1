/* SPDX-License-Identifier: MIT */
/* The comparison for people: the commands, how their times are distributed, a table for each. */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plural.h"
#include "terminal.h"
#include "wording.h"

enum { NAME_WIDTH = 18, VALUE_WIDTH = 13, CHANGE_WIDTH = 10, BINS = 24 };

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

static void put_summary(const struct findings *f, size_t contender, size_t metric, struct sink *out)
{
	const struct summary *s = findings_summary(f, contender, metric);
	char text[WORDING_LEN] = "-";

	if (s->nr_known)
		word_value(&f->m->metrics.at[metric], s->median, text);
	sink_padded(out, text, VALUE_WIDTH);
}

static void put_change(const struct findings *f, size_t contender, size_t metric, struct sink *out)
{
	const struct finding *finding = findings_at(f, contender, metric);
	const struct change *change = &finding->change;
	const double numbers[] = { change->estimate, change->low, change->high };
	static const char *const between[] = { "  [", " ..", "]  " };
	char text[WORDING_LEN];

	if (!finding->is_known) {
		bool is_stored =
			!f->m->contenders.nr_stored || findings_summary(f, 0, metric)->nr_known;

		sink_text(out, is_stored ? "  not known in all runs" : "  not in the stored runs");
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		word_change(&f->m->metrics.at[metric], change->is_ratio, numbers[i], text);
		sink_padded(out, text, CHANGE_WIDTH);
		sink_text(out, between[i]);
	}
	word_verdict(f, contender, metric, text);
	sink_text(out, text);
}

static bool is_known(const struct findings *f, size_t contender, size_t metric)
{
	return findings_summary(f, 0, metric)->nr_known ||
	       findings_summary(f, contender, metric)->nr_known;
}

static void put_table(const struct findings *f, size_t contender, struct sink *out)
{
	char label[WORDING_LEN];

	word_label(contender, label);
	sink_format(out, "\n%*s%*s", -NAME_WIDTH, "median", VALUE_WIDTH, "A");
	if (contender)
		sink_format(out, "%*s   change from A to %s", VALUE_WIDTH, label, label);
	sink_char(out, '\n');
	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		if (!is_known(f, contender, i))
			continue;
		sink_left(out, f->m->metrics.at[i].name, NAME_WIDTH);
		put_summary(f, 0, i, out);
		if (contender) {
			put_summary(f, contender, i, out);
			put_change(f, contender, i, out);
		}
		sink_char(out, '\n');
	}
}

static void put_unknown(const struct findings *f, struct sink *out)
{
	bool is_first = true;

	for (size_t i = 0; i < f->m->metrics.nr; i++) {
		bool any = false;

		for (size_t c = 0; c < f->m->contenders.nr; c++)
			any |= findings_summary(f, c, i)->nr_known != 0;
		if (any)
			continue;
		sink_text(out, is_first ? "\nNot known: " : ", ");
		sink_escaped(out, f->m->metrics.at[i].name);
		is_first = false;
	}
	if (!is_first)
		sink_char(out, '\n');
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
	if (nr > 1)
		sink_format(out, "\nThe intervals hold all together in 95 %% of comparisons%s.\n",
			    nr > nr_run ? ", if the machine was the same both times" : "");
	render_health(f, out);
}
