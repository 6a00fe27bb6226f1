/* SPDX-License-Identifier: MIT */
/* Numbers with three or four digits and a unit that suits them. No locale changes them. */
#include "wording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scale {
	double least;
	double factor;
	const char *unit;
};

static const struct scale seconds[] = {
	{ 1, 1, "s" },
	{ 1e-3, 1e3, "ms" },
	{ 1e-6, 1e6, "us" },
	{ 0, 1e9, "ns" },
};

static const struct scale bytes[] = {
	{ 1e9, 1e-9, "GB" },
	{ 1e6, 1e-6, "MB" },
	{ 1e3, 1e-3, "kB" },
	{ 0, 1, "B" },
};

static const struct scale counts[] = {
	{ 1e10, 1e-9, "G" },
	{ 1e7, 1e-6, "M" },
	{ 0, 1, "" },
};

static const struct scale *const scales[] = {
	[METRIC_SECONDS] = seconds,
	[METRIC_BYTES] = bytes,
	[METRIC_COUNT] = counts,
};

void word_label(size_t contender, char text[WORDING_LEN])
{
	if (contender < 26)
		snprintf(text, WORDING_LEN, "%c", (char)('A' + contender));
	else
		snprintf(text, WORDING_LEN, "#%zu", contender + 1);
}

/* Four digits, but whole numbers whole. */
static int precision_of(double value)
{
	value = fabs(value);
	if (value >= 1000 || value == floor(value))
		return 0;
	return value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

static void put_value(const struct metric *metric, double value, bool has_sign,
		      char text[WORDING_LEN])
{
	const struct scale *scale = scales[metric->kind];
	const char *unit;

	while (fabs(value) < scale->least)
		scale++;
	unit = *scale->unit ? scale->unit : metric->unit;
	value *= scale->factor;
	snprintf(text, WORDING_LEN, has_sign ? "%+.*f%s%s" : "%.*f%s%s", precision_of(value), value,
		 *unit ? " " : "", unit);
}

void word_value(const struct metric *metric, double value, char text[WORDING_LEN])
{
	put_value(metric, value, false, text);
}

/* Shares that three digits do not show. */
#define NOTHING 5e-6

static void put_percent(double share, const char *sign, char text[WORDING_LEN])
{
	double percent = fabs(share) < NOTHING ? 0 : 100 * share, size = fabs(percent);
	int precision = size >= 100 ? 0 : size >= 0.095 || size == 0 ? 1 : size >= 0.0095 ? 2 : 3;

	if (*sign)
		snprintf(text, WORDING_LEN, "%+.*f %%", precision, percent);
	else
		snprintf(text, WORDING_LEN, "%.*f %%", precision, percent);
}

void word_change(const struct metric *metric, bool is_ratio, double change, char text[WORDING_LEN])
{
	if (isinf(change))
		strcpy(text, "?");
	else if (is_ratio)
		put_percent(change, "+", text);
	else
		put_value(metric, change, true, text);
}

const char *verdict_word(const struct findings *f, size_t contender, size_t metric)
{
	const struct finding *finding = findings_at(f, contender, metric);
	bool is_time = f->m->metrics.at[metric].is_time;

	if (!finding->is_known)
		return "unknown";
	switch (finding->verdict) {
	case VERDICT_LESS:
		return is_time ? "faster" : "less";
	case VERDICT_MORE:
		return is_time ? "slower" : "more";
	case VERDICT_SAME:
		return "same";
	default:
		return "unclear";
	}
}

static void word_same(const struct finding *finding, const struct metric *metric,
		      char text[WORDING_LEN])
{
	double bound = change_bound(&finding->change);
	char number[WORDING_LEN];

	if (bound == 0 || (finding->change.is_ratio && bound < NOTHING)) {
		strcpy(text, "same");
		return;
	}
	if (finding->change.is_ratio)
		put_percent(bound, "", number);
	else
		word_value(metric, bound, number);
	snprintf(text, WORDING_LEN, "same within %.60s", number);
}

/* More rounds than this are no advice. */
#define ROUNDS_SHOWN_MAX 1e6

static void word_unclear(const struct finding *finding, bool can_grow, char text[WORDING_LEN])
{
	bool too_few = finding->change.m && isinf(finding->change.high);
	double rounds = finding->rounds_needed;

	if (rounds > 0 && rounds <= ROUNDS_SHOWN_MAX)
		snprintf(text, WORDING_LEN, "unclear, %stry %.0f rounds",
			 too_few ? "too few runs, " : "", rounds);
	else if (rounds > 0 || !can_grow)
		strcpy(text, too_few ? "unclear, too few runs" : "unclear");
	else
		strcpy(text, finding->change.m ? "unclear, too few stored runs"
					       : "unclear, more rounds are needed");
}

void word_verdict(const struct findings *f, size_t contender, size_t metric, char text[WORDING_LEN])
{
	const struct finding *finding = findings_at(f, contender, metric);

	if (finding->is_known && finding->verdict == VERDICT_SAME)
		word_same(finding, &f->m->metrics.at[metric], text);
	else if (finding->is_known && finding->verdict == VERDICT_UNCLEAR)
		word_unclear(finding, !f->m->contenders.at[contender].stored, text);
	else
		strcpy(text, finding->is_known ? verdict_word(f, contender, metric) : "");
	if (finding->is_known && finding->change.m)
		strcat(text, " (not interleaved)");
}
