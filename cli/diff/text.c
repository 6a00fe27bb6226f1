/* SPDX-License-Identifier: MIT */
/* The comparison as text, in the layout of perf diff (6.1, measured): what is said beyond that has
 * columns of its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "separator.h"
#include "utf8.h"

enum { CELL_BYTES = 256, MAX_COLUMNS_SHOWN = 8 * MAX_FILES };

struct column;

/* @cell: CELL_BYTES; with a separator, numbers are not aligned to the right. */
typedef void (*cell_fn)(const struct diff *diff, const struct diff_row *row, int side, char *cell);

struct column {
	const char *name;
	int width;
	cell_fn cell;
};

static void baseline_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	if (row->shares[side].nr)
		snprintf(cell, CELL_BYTES, diff->values->separator ? "%.2f" : "%.2f%%",
			 row->shares[side].stats.mean);
}

static void delta_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	(void)diff;
	if (row->changes[side].has_value)
		snprintf(cell, CELL_BYTES, "%+4.2F%%", row->changes[side].value);
}

/* What has no baseline cannot be computed. */
static bool is_new(const struct diff_row *row, int side, char *cell)
{
	bool is = !row->changes[side].has_value && row->shares[side].nr;

	if (is)
		snprintf(cell, CELL_BYTES, "N/A");
	return is || !row->changes[side].has_value;
}

static void ratio_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	(void)diff;
	if (!is_new(row, side, cell))
		snprintf(cell, CELL_BYTES, "%.6F", row->changes[side].value);
}

static void wdiff_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	(void)diff;
	if (!is_new(row, side, cell))
		snprintf(cell, CELL_BYTES, "%.0f", row->changes[side].value);
}

static void period_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	(void)diff;
	if (!side || row->shares[side].nr)
		snprintf(cell, CELL_BYTES, "%" PRIu64, row->shares[side].period);
}

static void formula_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	const struct share *base = &row->shares[0], *other = &row->shares[side];
	const int64_t *weights = diff->values->weights;

	if (!other->nr)
		return;
	switch (diff->values->compute) {
	case COMPUTE_RATIO:
		snprintf(cell, CELL_BYTES, "%" PRIu64 " / %" PRIu64, other->period, base->period);
		break;
	case COMPUTE_WDIFF:
		snprintf(cell, CELL_BYTES,
			 "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")", other->period,
			 weights[1], base->period, weights[0]);
		break;
	default:
		snprintf(cell, CELL_BYTES,
			 "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64 ")",
			 other->period, other->total, base->period, base->total);
		break;
	}
}

static void interval_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	const struct change *change = &row->changes[side];

	(void)diff;
	if (change->has_interval)
		snprintf(cell, CELL_BYTES, "%+.2F .. %+.2F", change->low, change->high);
}

static void differs_cell(const struct diff *diff, const struct diff_row *row, int side, char *cell)
{
	const struct change *change = &row->changes[side];

	(void)diff;
	if (change->has_interval)
		snprintf(cell, CELL_BYTES, change->low > 0 || change->high < 0 ? "yes" : "no");
}

static const struct column baseline = { "Baseline", 8, baseline_cell };
static const struct column base_period = { "Base period", 14, period_cell };
static const struct column computed[] = {
	[COMPUTE_DELTA_ABS] = { "Delta Abs", 7, delta_cell },
	[COMPUTE_DELTA] = { "Delta", 7, delta_cell },
	[COMPUTE_RATIO] = { "Ratio", 14, ratio_cell },
	[COMPUTE_WDIFF] = { "Weighted diff", 14, wdiff_cell },
};
static const struct column interval = { "95% CI", 18, interval_cell };
static const struct column differs = { "Differs", 7, differs_cell };
static const struct column formula = { "Formula", 70, formula_cell };
static const struct column period = { "Period", 14, period_cell };

/* The columns of the table, from left to right. */
struct shown {
	const struct column *column; /* NULL: a key */
	int side, key;
	char name[32];
	int width;
};

struct sheet {
	const struct diff *diff;
	struct shown columns[MAX_COLUMNS_SHOWN];
	int nr;
};

static void add_column(struct sheet *sheet, const struct column *column, int side)
{
	struct shown *shown = &sheet->columns[sheet->nr];

	if (sheet->nr == MAX_COLUMNS_SHOWN - MAX_KEYS)
		return;
	sheet->nr++;
	*shown = (struct shown){ .column = column, .side = side };
	if (sheet->diff->nr_sides > 2)
		snprintf(shown->name, sizeof(shown->name), "%s/%d", column->name, side);
	else
		snprintf(shown->name, sizeof(shown->name), "%s", column->name);
	int len = (int)strlen(shown->name);
	shown->width = len > column->width ? len : column->width;
}

/* What a filter leaves one of is not shown in every row. Source: perf. */
static bool is_elided(const struct diff *diff, enum xp_key key)
{
	const struct values *values = diff->values;
	const char *list = key == XP_KEY_DSO      ? values->read.filter.dsos
			   : key == XP_KEY_SYMBOL ? values->read.filter.symbols
			   : key == XP_KEY_COMM   ? values->read.filter.comms
						  : NULL;

	return list && *list && !strpbrk(list, ",/");
}

static void add_key(struct sheet *sheet, const struct diff_event *event, int key)
{
	/* The headings of perf. */
	static const char *const names[XP_NR_KEYS] = {
		[XP_KEY_PID] = "    Pid:Command",
		[XP_KEY_COMM] = "Command",
		[XP_KEY_DSO] = "Shared Object",
		[XP_KEY_SYMBOL] = "Symbol",
		[XP_KEY_CPU] = "CPU",
	};
	const struct diff *diff = sheet->diff;
	struct shown *shown = &sheet->columns[sheet->nr++];

	*shown = (struct shown){ .key = key };
	snprintf(shown->name, sizeof(shown->name), "%s", names[diff->keys[key]]);
	shown->width = (int)strlen(shown->name);
	for (size_t i = 0; i < event->nr && diff->keys[key] != XP_KEY_CPU; i++) {
		int width = utf8_columns(escaped(event->rows[i]->cells[key]));

		shown->width = width > shown->width ? width : shown->width;
	}
}

static void make_columns(struct sheet *sheet, const struct diff_event *event)
{
	const struct diff *diff = sheet->diff;
	const struct values *values = diff->values;

	sheet->nr = 0;
	add_column(sheet, &baseline, 0);
	if (values->period)
		add_column(sheet, &base_period, 0);
	for (int side = 1; side < diff->nr_sides; side++) {
		add_column(sheet, &computed[values->compute], side);
		if (diff->has_intervals) {
			add_column(sheet, &interval, side);
			add_column(sheet, &differs, side);
		}
		if (values->formula)
			add_column(sheet, &formula, side);
		if (values->period)
			add_column(sheet, &period, side);
	}
	for (int i = 0; i < diff->nr_keys; i++)
		if (!is_elided(diff, diff->keys[i]))
			add_key(sheet, event, i);
}

static void print_cell(const struct sheet *sheet, int i, const char *text, bool to_the_right,
		       bool is_padded)
{
	const char *separator = sheet->diff->values->separator;
	int pad = sheet->columns[i].width - utf8_columns(text);

	if (i)
		fputs(separator ? separator : "  ", stdout);
	if (!is_padded || pad < 0)
		pad = 0;
	if (to_the_right)
		printf("%*s%s", pad, "", text);
	else
		printf("%s%*s", text, pad, "");
}

static void print_heading(const struct sheet *sheet)
{
	static const char dots[] =
		"........................................................................"
		"........................................................................";

	fputs("# ", stdout);
	for (int i = 0; i < sheet->nr; i++)
		print_cell(sheet, i, sheet->columns[i].name, sheet->columns[i].column, true);
	putchar('\n');
	if (sheet->diff->values->separator)
		return;
	fputs("# ", stdout);
	for (int i = 0; i < sheet->nr; i++) {
		int width = sheet->columns[i].width;

		fputs(i ? "  " : "", stdout);
		for (; width > (int)sizeof(dots) - 1; width -= (int)sizeof(dots) - 1)
			fputs(dots, stdout);
		printf("%.*s", width, dots);
	}
	fputs("\n#\n", stdout);
}

static void print_name(const struct sheet *sheet, int i, const char *name, bool is_padded)
{
	const char *separator = sheet->diff->values->separator;
	char *text = separator ? strdup(name) : NULL;

	if (text)
		separator_hide(text, separator);
	print_cell(sheet, i, text ? text : name, false, is_padded);
	free(text);
}

static void print_row(const struct sheet *sheet, const struct diff_row *row)
{
	if (!sheet->diff->values->separator)
		fputs("  ", stdout);
	for (int i = 0; i < sheet->nr; i++) {
		const struct shown *shown = &sheet->columns[i];
		bool is_last = i == sheet->nr - 1;
		char cell[CELL_BYTES] = "";

		if (!shown->column) {
			/* a symbol at the end is not padded */
			bool is_symbol = sheet->diff->keys[shown->key] == XP_KEY_SYMBOL;

			print_name(sheet, i, escaped(row->cells[shown->key]),
				   !is_last || !is_symbol);
			continue;
		}
		shown->column->cell(sheet->diff, row, shown->side, cell);
		print_cell(sheet, i, cell, !sheet->diff->values->separator, true);
	}
	putchar('\n');
}

static void print_files(const struct diff *diff)
{
	static const char *const ends[] = { " ", " (Baseline)" };

	if (diff->nr_sources == 2)
		return;
	puts("# Data files:");
	for (int i = 0; i < diff->nr_sources; i++)
		printf("#  [%d] %s%s\n", diff->sources[i].side, escaped(diff->sources[i].path),
		       ends[!diff->sources[i].side]);
	puts("#");
}

/* Events of the baseline are compared, as far as there are others. */
static bool is_shown(const struct diff *diff, const struct diff_event *event)
{
	for (int i = 0; i < diff->nr_sources; i++)
		if (!diff->sources[i].side && event->is_there[i])
			return true;
	return false;
}

void diff_print(const struct diff *diff)
{
	struct sheet sheet = { .diff = diff };
	bool quiet = diff->values->quiet, first = true;

	for (int e = 0; e < diff->nr_events; e++) {
		const struct diff_event *event = &diff->events[e];

		if (!is_shown(diff, event))
			continue;
		make_columns(&sheet, event);
		if (!quiet) {
			printf("%s# Event '%s'\n#\n", first ? "" : "\n", escaped(event->name));
			print_files(diff);
			print_heading(&sheet);
		}
		first = false;
		for (size_t i = 0; i < event->nr; i++)
			if (diff_row_is_shown(diff, event->rows[i]))
				print_row(&sheet, event->rows[i]);
	}
}
