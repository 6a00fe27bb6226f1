/* SPDX-License-Identifier: MIT */
/* The comparison as tables for other programs: CSV as RFC 4180 has it, and for Markdown. */
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wording.h"

/* --- CSV --- */

static const char quote[] = "\"";

static void put_quoted(struct sink *out, const char *text)
{
	sink_text(out, quote);
	for (; *text; text++) {
		if (*text == *quote)
			sink_text(out, quote);
		sink_char(out, *text);
	}
	sink_text(out, quote);
}

/* Empty where it is not known. */
static void put_field(struct sink *out, double value, bool is_known)
{
	sink_char(out, ',');
	if (is_known && isfinite(value))
		sink_format(out, "%.12g", value);
}

static void csv_row(const struct findings *f, size_t contender, size_t metric, struct sink *out)
{
	const struct metric *of = &f->m->metrics.at[metric];
	const struct summary *s = findings_summary(f, contender, metric);
	const struct finding *finding = findings_at(f, contender, metric);
	const struct change *change = &finding->change;
	bool is_known = contender && finding->is_known;

	put_quoted(out, f->m->contenders.at[contender].name);
	sink_char(out, ',');
	put_quoted(out, of->name);
	sink_char(out, ',');
	put_quoted(out, metric_unit(of));
	sink_format(out, ",%zu", s->nr_known);
	const double numbers[] = { s->mean, s->deviation, s->median, s->min, s->max };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_field(out, numbers[i], s->nr_known > (i == 1));
	sink_format(out, ",%s", !is_known ? "" : change->is_ratio ? "ratio" : "difference");
	put_field(out, change->estimate, is_known);
	put_field(out, change->low, is_known);
	put_field(out, change->high, is_known);
	put_field(out, change->p, is_known);
	sink_format(out, ",%s", contender ? verdict_word(f, contender, metric) : "");
	put_field(out, finding->rounds_needed, is_known && finding->rounds_needed > 0);
	sink_format(out, ",%s\r\n", !is_known ? "" : change->m ? "no" : "yes");
}

void render_csv(const struct findings *f, struct sink *out)
{
	sink_text(out, "command,metric,unit,rounds,mean,stddev,median,min,max,kind,change,low,high,"
		       "p,verdict,rounds_needed,interleaved\r\n");
	for (size_t i = 0; i < f->m->contenders.nr; i++)
		for (size_t metric = 0; metric < f->m->metrics.nr; metric++)
			csv_row(f, i, metric, out);
}

/* --- Markdown --- */

/* Code; a bar would end the cell, a back-tick the code. */
static void put_code(struct sink *out, const char *text)
{
	sink_char(out, '`');
	for (; *text; text++) {
		if (*text == '|')
			sink_char(out, '\\');
		sink_char(out, *text == '`' ? '\'' : *text == '\n' ? ' ' : *text);
	}
	sink_char(out, '`');
}

static void put_cell(struct sink *out, const char *text)
{
	sink_format(out, " | %s", text);
}

static void markdown_row(const struct findings *f, size_t contender, size_t metric,
			 struct sink *out)
{
	const struct metric *of = &f->m->metrics.at[metric];
	const struct summary *s = findings_summary(f, contender, metric);
	const struct finding *finding = findings_at(f, contender, metric);
	const struct change *change = &finding->change;
	char text[WORDING_LEN], low[WORDING_LEN], high[WORDING_LEN];

	sink_text(out, "| ");
	put_code(out, f->m->contenders.at[contender].name);
	sink_text(out, " | ");
	put_code(out, of->name);
	word_value(of, s->median, text);
	put_cell(out, s->nr_known ? text : "");
	if (!contender || !finding->is_known) {
		sink_text(out, " | | | |\n");
		return;
	}
	word_change(of, change->is_ratio, change->estimate, text);
	put_cell(out, text);
	word_change(of, change->is_ratio, change->low, low);
	word_change(of, change->is_ratio, change->high, high);
	sink_format(out, " | %s … %s", low, high);
	word_verdict(f, contender, metric, text);
	put_cell(out, text);
	sink_text(out, " |\n");
}

void render_markdown(const struct findings *f, struct sink *out)
{
	sink_text(out, "| Command | Metric | Median | Change | Interval | Verdict |\n"
		       "|:---|:---|---:|---:|---:|:---|\n");
	for (size_t metric = 0; metric < f->m->metrics.nr; metric++)
		for (size_t i = 0; i < f->m->contenders.nr; i++)
			if (findings_summary(f, i, metric)->nr_known)
				markdown_row(f, i, metric, out);
}
