/* SPDX-License-Identifier: MIT */
/*
 * Numbers of rows that no row is distinguished by: the row's share, split by where data came from,
 * and what the branches of its samples did.
 *
 * Source of the bits: linux/perf_event.h, "union perf_mem_data_src" and "struct perf_branch_entry";
 * of the classes and the layout: perf 7.2.
 */
#include "numbers.h"

#include <inttypes.h>
#include <string.h>
#include <xperf/attr.h>

#include "json-numbers.h"

enum { CLASS_WIDTH = 7 };

/* A class of values of some bits. @mask: 0: all that no class before it has */
struct class
{
	const char *name;
	uint8_t mask, value;
};

/* By where data came from. @at, @bits: where that is in the source of the data */
static const struct split {
	const char *title;
	int at, bits;
	struct class classes[SPLIT_CLASSES];
} splits[SPLITS] = {
	[SPLIT_OP - SPLIT_OP] = { "Mem Op",
				  0,
				  5,
				  { { "Load", 0x1f, 2 },
				    { "Store", 0x1f, 4 },
				    { "Ld+St", 0x1f, 6 },
				    { "Pfetch", 8, 8 },
				    { "Exec", 0x10, 0x10 },
				    { "Other", 0, 0 } } },
	[SPLIT_CACHE - SPLIT_OP] = { "Cache",
				     33,
				     4,
				     { { "L1", 15, 1 },
				       { "L2", 15, 2 },
				       { "L3", 15, 3 },
				       { "L4", 15, 4 },
				       { "L1-buf", 15, 12 },
				       { "L2-buf", 15, 5 },
				       { "Other", 0, 0 } } },
	[SPLIT_MEMORY - SPLIT_OP] = { "Memory",
				      33,
				      4,
				      { { "RAM", 15, 13 },
					{ "MSC", 15, 6 },
					{ "Uncach", 15, 8 },
					{ "CXL", 15, 9 },
					{ "IO", 15, 10 },
					{ "PMEM", 15, 14 },
					{ "Other", 0, 0 } } },
	[SPLIT_SNOOP - SPLIT_OP] = { "Snoop",
				     19,
				     5,
				     { { "Hit", 0x1f, 4 },
				       { "HitM", 0x1f, 0x10 },
				       { "Miss", 0x1f, 8 },
				       { "Other", 0, 0 } } },
	[SPLIT_DTLB - SPLIT_OP] = { "D-TLB",
				    26,
				    7,
				    { { "L1-Hit", 0x7f, 0x0a },
				      { "L2-Hit", 0x7f, 0x12 },
				      { "L?-Hit", 0x7f, 0x1a },
				      { "Miss", 4, 4 },
				      { "Other", 0, 0 } } },
};

bool number_is_split(int column)
{
	return column >= SPLIT_OP && column < BRANCHES_PREDICTED;
}

bool number_is_one(int column)
{
	return column >= SPLIT_OP && column <= BRANCHES_CYCLES;
}

/* --- counting --- */

static uint8_t class_of(const struct split *split, uint64_t source)
{
	uint8_t value = (uint8_t)(source >> split->at & ((1U << split->bits) - 1)), at = 0;

	while (split->classes[at].mask &&
	       (value & split->classes[at].mask) != split->classes[at].value)
		at++;
	return at;
}

static void count_branch(const struct xp_branch *branch, uint64_t *branches)
{
	enum { PREDICTED = 2, ABORTED = 8, CYCLES_SHIFT = 4, CYCLES = 0xffff };

	branches[0]++;
	branches[NUMBER_PREDICTED - NUMBER_BRANCHES] += !!(branch->flags & PREDICTED);
	branches[NUMBER_ABORTED - NUMBER_BRANCHES] += !!(branch->flags & ABORTED);
	branches[NUMBER_CYCLES - NUMBER_BRANCHES] += branch->flags >> CYCLES_SHIFT & CYCLES;
}

void number_count(const struct plan *plan, const struct xp_attr *attr,
		  const struct xp_sample *sample, const struct xp_branch *branch,
		  struct counted *ret_counted)
{
	bool has_branches = false;

	for (int i = 0; i < plan->nr_columns; i++) {
		int column = plan->columns[i];

		if (number_is_split(column) && attr->sample_type & XP_SAMPLE_DATA_SRC)
			ret_counted->classes[column - SPLIT_OP] =
				(uint8_t)(class_of(&splits[column - SPLIT_OP],
						   sample->data_source) +
					  1);
		has_branches |= number_is_one(column) && !number_is_split(column);
	}
	if (has_branches && branch)
		count_branch(branch, ret_counted->branches);
	for (size_t i = 0; has_branches && !branch && i < sample->nr_branches; i++)
		count_branch(&sample->branches[i], ret_counted->branches);
}

void number_add(const struct counted *counted, const struct xp_profile_sum *sum, uint64_t *numbers)
{
	for (int i = 0; i < SPLITS; i++)
		if (counted->classes[i])
			numbers[i * SPLIT_CLASSES + counted->classes[i] - 1] += sum->period;
	for (int i = NUMBER_BRANCHES; i < NR_NUMBERS; i++)
		numbers[i] += counted->branches[i - NUMBER_BRANCHES] * sum->samples;
}

void number_totals(struct sheet *sheet)
{
	const struct xp_profile_row *row;

	memset(sheet->numbers, 0, sizeof(sheet->numbers));
	if (!sheet->plan->has_numbers)
		return;
	for (size_t i = 0;
	     (row = xp_profile_row_at(sheet->report->profile, sheet->event, i)) != NULL; i++)
		for (int n = 0; n < NR_NUMBERS; n++)
			sheet->numbers[n] += row->numbers[n];
}

/* --- as text --- */

static const uint64_t *numbers_of(const uint64_t *numbers, int column)
{
	return numbers + (column - SPLIT_OP) * SPLIT_CLASSES;
}

/* A class that no sample of the event is in has no column. */
static int nr_shown(const struct sheet *sheet, int column)
{
	int nr = 0;

	for (int i = 0; i < SPLIT_CLASSES; i++)
		nr += numbers_of(sheet->numbers, column)[i] != 0;
	return nr;
}

/* "   Load  Store", or with a separator "Mem Op Load,Mem Op Store". Valid until the next call. */
static const char *split_heading(const struct sheet *sheet, int column)
{
	static char text[SPLIT_CLASSES * 32];
	const struct split *split = &splits[column - SPLIT_OP];
	const char *separator = sheet->plan->values->show.separator;
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < SPLIT_CLASSES; i++) {
		if (!numbers_of(sheet->numbers, column)[i])
			continue;
		if (separator)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%.4s%s %s",
						len ? separator : "", split->title,
						split->classes[i].name);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%*s", CLASS_WIDTH,
						split->classes[i].name);
	}
	return text;
}

const char *number_heading(const struct sheet *sheet, int column)
{
	static const char *const of_branches[] = { "Predicted", "Abort", "Cycles" };

	return number_is_split(column) ? split_heading(sheet, column)
				       : of_branches[column - BRANCHES_PREDICTED];
}

/* "------ Mem Op -------"; of one class without lines. */
static void put_title(FILE *file, const char *title, int width)
{
	static const char lines[] = "--------------------------------------------------------";
	int len = (int)strlen(title), left = (width - len) / 2 - 1;

	if (width == CLASS_WIDTH)
		fprintf(file, "%*s", width, title);
	else
		fprintf(file, "%.*s %s %.*s", left, lines, title, width - left - len - 2, lines);
}

void number_put_titles(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	bool has_splits = false;
	int blanks = 0;

	for (int i = 0; i < plan->nr_columns; i++)
		has_splits |= number_is_split(plan->columns[i]) && !sheet->elided[i];
	if (!has_splits || plan->values->show.separator)
		return;
	fputs("# ", sheet->file);
	for (int i = 0; i < plan->nr_columns; i++) {
		int column = plan->columns[i];

		if (sheet->elided[i])
			continue;
		if (number_is_split(column)) {
			int width = nr_shown(sheet, column) * CLASS_WIDTH;

			fprintf(sheet->file, "%*s", blanks + sheet->widths[i] - width, "");
			put_title(sheet->file, splits[column - SPLIT_OP].title, width);
			blanks = 2;
		} else {
			blanks += sheet->widths[i] + 2;
		}
	}
	fputc('\n', sheet->file);
}

int number_split_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const uint64_t *own = numbers_of(row->numbers, column);
	const char *separator = sheet->plan->values->show.separator;
	double total = (double)sheet->totals[0];
	int len = 0, blanks = width - nr_shown(sheet, column) * CLASS_WIDTH;

	if (!separator)
		len = snprintf(sheet->cell, CELL_BYTES, "%*s", blanks > 0 ? blanks : 0, "");
	for (int i = 0; i < SPLIT_CLASSES && len < CELL_BYTES - 64; i++) {
		double percent = total > 0 ? 100 * (double)own[i] / total : 0;

		if (!numbers_of(sheet->numbers, column)[i])
			continue;
		if (separator)
			len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), "%.4s%.1f%%",
					len ? separator : "", percent);
		else
			len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), " %*.1f%%",
					CLASS_WIDTH - 2, percent);
	}
	return len;
}

int number_branch_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const uint64_t *numbers = row->numbers;
	uint64_t nr = numbers[NUMBER_BRANCHES];
	char text[32] = "-";

	if (nr && column == BRANCHES_PREDICTED)
		snprintf(text, sizeof(text), "%.1f%%",
			 100 * (double)numbers[NUMBER_PREDICTED] / (double)nr);
	else if (nr && column == BRANCHES_ABORTED)
		snprintf(text, sizeof(text), "%" PRIu64, numbers[NUMBER_ABORTED]);
	else if (nr)
		snprintf(text, sizeof(text), "%" PRIu64, numbers[NUMBER_CYCLES] / nr);
	return snprintf(sheet->cell, CELL_BYTES, "%-*s", width, text);
}

/* --- JSON --- */

static void put_split(struct json *json, const char *name, int column, const uint64_t *numbers)
{
	const struct split *split = &splits[column - SPLIT_OP];
	char text[32];

	snprintf(text, sizeof(text), "%s_periods", name);
	json_object(json, text, &json_blanks);
	for (int i = 0; i < SPLIT_CLASSES && split->classes[i].name; i++)
		json_uint(json, split->classes[i].name, numbers_of(numbers, column)[i]);
	json_end(json);
}

void number_put_json(struct json *json, const struct plan *plan, const struct xp_profile_row *row)
{
	bool has_branches = false;

	for (int i = 0; i < plan->nr_columns; i++) {
		if (number_is_split(plan->columns[i]))
			put_split(json, key_name(plan, plan->columns[i], 0), plan->columns[i],
				  row->numbers);
		has_branches |=
			number_is_one(plan->columns[i]) && !number_is_split(plan->columns[i]);
	}
	if (!has_branches)
		return;
	json_object(json, "branches", &json_blanks);
	json_uint(json, "number", row->numbers[NUMBER_BRANCHES]);
	json_uint(json, "predicted", row->numbers[NUMBER_PREDICTED]);
	json_uint(json, "aborted", row->numbers[NUMBER_ABORTED]);
	json_uint(json, "cycles", row->numbers[NUMBER_CYCLES]);
	json_end(json);
}
