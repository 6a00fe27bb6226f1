/* SPDX-License-Identifier: MIT */
/* The columns of the text, in perf 6.1's layout: one table of headings, cells and widths. */
#include "columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum {
	SHARE_WIDTH = 8,
	NUMBER_WIDTH = 12,
	/* "[k] " and "0x" in front of 16 digits. */
	LEVEL_WIDTH = 4,
	ADDRESS_WIDTH = 18,
	UNKNOWN_FILE_WIDTH = 16,
	PID_WIDTH = 8,
};

static const char inlined[] = " (inlined)";

static const char *comm_of(const struct xp_profile_row *row)
{
	return escaped(row->comm ? row->comm : "");
}

static const char *file_of(const struct xp_spot *place)
{
	const struct xp_dso *dso = place ? place->frame.map.dso : NULL;

	return dso ? escaped(dso->short_name) : "[unknown]";
}

static const char *function_of(const struct xp_spot *place)
{
	const char *name = place ? place->frame.function.name : NULL;

	return name ? escaped(name) : NULL;
}

/* Bytes of @text that fill @width columns; all bytes of a character count as one column. */
static int bytes_for(const char *text, int width)
{
	int bytes = 0;

	for (; text[bytes] && width; width--) {
		size_t len = utf8_len((const unsigned char *)text + bytes);

		bytes += len ? (int)len : 1;
	}
	return bytes;
}

static int put(struct sheet *sheet, int at, const char *text, int width)
{
	int bytes = bytes_for(text, width);

	if (bytes > CELL_BYTES - 1 - at)
		bytes = CELL_BYTES - 1 - at;
	memcpy(sheet->cell + at, text, (size_t)bytes);
	sheet->cell[at + bytes] = '\0';
	return bytes;
}

/* A field separator in a name would make two of it. Source: perf 6.1. */
static void keep_together(struct sheet *sheet, int at)
{
	const char *separator = sheet->plan->values->separator;

	if (!separator || !*separator)
		return;
	for (char *c = sheet->cell + at; (c = strchr(c, *separator)) != NULL;)
		*c = '.';
}

static int columns_of(const char *text)
{
	int columns = 0;

	for (; *text; columns++) {
		size_t len = utf8_len((const unsigned char *)text);

		text += len ? len : 1;
	}
	return columns;
}

int column_pad(struct sheet *sheet, int len, int width)
{
	for (int columns = columns_of(sheet->cell); columns < width && len < CELL_BYTES - 1;
	     columns++)
		sheet->cell[len++] = ' ';
	sheet->cell[len] = '\0';
	return len;
}

static int text_cell(struct sheet *sheet, const char *text, int width)
{
	int len = put(sheet, 0, text, width);

	keep_together(sheet, 0);
	return column_pad(sheet, len, width);
}

/* --- numbers: of each event of a group --- */

typedef uint64_t (*number_fn)(const struct xp_profile_sum *sum);

static uint64_t children_of(const struct xp_profile_sum *sum)
{
	return sum->children_period;
}

static uint64_t period_of(const struct xp_profile_sum *sum)
{
	return sum->period;
}

static uint64_t samples_of(const struct xp_profile_sum *sum)
{
	return sum->samples;
}

static struct xp_profile_sum sum_of(const struct sheet *sheet, const struct xp_profile_row *row,
				    int member)
{
	if (row->members && sheet->nr_members > 1)
		return row->members[member];
	return (struct xp_profile_sum){ .period = row->period,
					.samples = row->samples,
					.children_period = row->children_period };
}

static int share_cells(struct sheet *sheet, const struct xp_profile_row *row, int width,
		       number_fn number)
{
	bool separated = sheet->plan->values->separator != NULL;
	int len = 0;

	width /= sheet->nr_members;
	for (int i = 0; i < sheet->nr_members && len < CELL_BYTES - 64; i++) {
		struct xp_profile_sum sum = sum_of(sheet, row, i);
		double total = (double)sheet->totals[i], period = (double)number(&sum);

		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), " %*.2f%%",
				separated ? 1 : width - 2, total > 0 ? 100 * period / total : 0);
	}
	return len;
}

static int number_cells(struct sheet *sheet, const struct xp_profile_row *row, int width,
			number_fn number)
{
	bool separated = sheet->plan->values->separator != NULL;
	int len = 0;

	width /= sheet->nr_members;
	for (int i = 0; i < sheet->nr_members && len < CELL_BYTES - 64; i++) {
		struct xp_profile_sum sum = sum_of(sheet, row, i);

		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), " %*" PRIu64,
				separated ? 1 : width - 1, number(&sum));
	}
	return len;
}

static int children_cell(struct sheet *sheet, int column, int width,
			 const struct xp_profile_row *row)
{
	(void)column;
	return share_cells(sheet, row, width, children_of);
}

static int overhead_cell(struct sheet *sheet, int column, int width,
			 const struct xp_profile_row *row)
{
	(void)column;
	return share_cells(sheet, row, width, period_of);
}

static int samples_cell(struct sheet *sheet, int column, int width,
			const struct xp_profile_row *row)
{
	(void)column;
	return number_cells(sheet, row, width, samples_of);
}

static int period_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return number_cells(sheet, row, width, period_of);
}

/* --- what rows are told apart by --- */

static int task_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	int len = snprintf(sheet->cell, CELL_BYTES,
			   "%7d:", column == XP_KEY_PID ? row->tid : row->pid);

	len += put(sheet, len, comm_of(row), width > PID_WIDTH ? width - PID_WIDTH : 0);
	keep_together(sheet, PID_WIDTH);
	return column_pad(sheet, len, width);
}

static int comm_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return text_cell(sheet, comm_of(row), width);
}

static const struct xp_spot *place_of(int column, const struct xp_profile_row *row)
{
	bool is_target = column == XP_KEY_DSO_TO || column == XP_KEY_SYMBOL_TO ||
			 column == XP_KEY_SRCLINE_TO;

	return is_target ? row->target : row->place;
}

static int dso_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return text_cell(sheet, file_of(place_of(column, row)), width);
}

static int cpu_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return snprintf(sheet->cell, CELL_BYTES, "%*.*d", width, width, row->cpu);
}

static int symbol_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const struct xp_spot *place = place_of(column, row);
	const char *name = function_of(place);

	if (!place)
		return text_cell(sheet, "N/A", width);
	int len = snprintf(sheet->cell, CELL_BYTES, "[%c] ",
			   column == XP_KEY_SYMBOL ? row->level : place->level);
	if (name) {
		len += put(sheet, len, name, width > len ? width - len : 0);
		if (place->is_inlined)
			len += put(sheet, len, inlined, width > len ? width - len : 0);
		keep_together(sheet, LEVEL_WIDTH);
	} else {
		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), "%-#.16" PRIx64,
				place->ip);
	}
	return len;
}

static int parent_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return text_cell(sheet, row->parent ? function_of(row->parent) : "[other]", width);
}

/* Line or file of source; "" where there is no such place. */
static const char *line_of(int column, const struct xp_profile_row *row)
{
	const struct xp_spot *place = place_of(column, row);
	const char *text = !place ? NULL : column == XP_KEY_SRCFILE ? place->file : place->line;

	return escaped(text ? text : "");
}

static int line_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	int len = put(sheet, 0, line_of(column, row), width);

	keep_together(sheet, 0);
	return len;
}

static int line_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	(void)sheet;
	return columns_of(line_of(column, row));
}

static int size_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const struct xp_frame *frame = &row->place->frame;
	bool is_symbol = column == XP_KEY_SYMBOL_SIZE;

	if (is_symbol ? !frame->function.name : !frame->map.dso)
		return snprintf(sheet->cell, CELL_BYTES, "%*s", width, "unknown");
	return snprintf(sheet->cell, CELL_BYTES, "%*" PRIu64, width,
			is_symbol ? frame->function.size : frame->map.end - frame->map.start);
}

static int extra_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return text_cell(sheet, escaped(extras_text(sheet->rec->extras, row->tag, column)), width);
}

static int last_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)width;
	int len = put(sheet, 0, escaped(extras_text(sheet->rec->extras, row->tag, column)),
		      CELL_BYTES);

	keep_together(sheet, 0);
	return len;
}

/* --- widths --- */

/* As wide as what the thread is called at last, too. Source: perf 6.1, which is as wide as that
 * only. */
static int comm_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	const char *last =
		xp_timeline_comm_at(sheet->rec->timeline, row->pid, row->tid, UINT64_MAX);
	int width = columns_of(comm_of(row)), last_width = last ? columns_of(escaped(last)) : 0;

	if (last_width > width)
		width = last_width;
	return column == XP_KEY_COMM ? width : width + PID_WIDTH;
}

static int dso_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	const struct plan *plan = sheet->plan;
	const struct xp_spot *place = place_of(column, row);
	int width = place && place->frame.map.dso ? columns_of(file_of(place)) : 0;
	bool fixed = plan->values->widths || plan->values->separator || plan->dsos.text;

	if (!function_of(place) && !fixed && width < UNKNOWN_FILE_WIDTH)
		width = UNKNOWN_FILE_WIDTH;
	return width;
}

static int symbol_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	const struct xp_spot *place = place_of(column, row);
	const char *name = function_of(place);
	int width = LEVEL_WIDTH + (name ? columns_of(name) : ADDRESS_WIDTH);

	(void)sheet;
	return place && place->is_inlined ? width + (int)strlen(inlined) : width;
}

static int parent_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	(void)sheet;
	(void)column;
	return row->parent ? columns_of(function_of(row->parent)) : 0;
}

/* Times are as wide as with a day's seconds, at least. */
static int time_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	enum { MICROSECONDS = 12, NANOSECONDS = 16 };

	(void)column;
	(void)row;
	return sheet->plan->values->show_ns ? NANOSECONDS : MICROSECONDS;
}

static int extra_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	return columns_of(escaped(extras_text(sheet->rec->extras, row->tag, column)));
}

/* A cell is written with its width where it is a number or padded. Without width: the heading
 * says. */
static const struct column {
	const char *heading;
	int (*cell)(struct sheet *sheet, int column, int width, const struct xp_profile_row *row);
	int (*width)(const struct sheet *sheet, int column, const struct xp_profile_row *row);
	int least;
	bool is_number;
} columns[NR_COLUMNS] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { "Children", children_cell, NULL, SHARE_WIDTH, true },
	[XP_KEY_OVERHEAD] = { "Overhead", overhead_cell, NULL, SHARE_WIDTH, true },
	[XP_KEY_SAMPLES] = { "Samples", samples_cell, NULL, NUMBER_WIDTH, true },
	[XP_KEY_PERIOD] = { "Period", period_cell, NULL, NUMBER_WIDTH, true },
	[XP_KEY_PID] = { "    Pid:Command", task_cell, comm_width, 0, false },
	[XP_KEY_TGID] = { "   Tgid:Command", task_cell, comm_width, 0, false },
	[XP_KEY_COMM] = { "Command", comm_cell, comm_width, 0, false },
	[XP_KEY_DSO] = { "Shared Object", dso_cell, dso_width, 0, false },
	[XP_KEY_SYMBOL] = { "Symbol", symbol_cell, symbol_width, 0, false },
	[XP_KEY_CPU] = { "CPU", cpu_cell, NULL, 3, false },
	[XP_KEY_SYMBOL_SIZE] = { "Symbol size", size_cell, NULL, 0, false },
	[XP_KEY_DSO_SIZE] = { "DSO size", size_cell, NULL, 0, false },
	[XP_KEY_DSO_FROM] = { "Source Shared Object", dso_cell, dso_width, 0, false },
	[XP_KEY_DSO_TO] = { "Target Shared Object", dso_cell, dso_width, 0, false },
	[XP_KEY_SYMBOL_FROM] = { "Source Symbol", symbol_cell, symbol_width, 0, false },
	[XP_KEY_SYMBOL_TO] = { "Target Symbol", symbol_cell, symbol_width, 0, false },
	[XP_KEY_PARENT] = { "Parent symbol", parent_cell, parent_width, 0, false },
	[XP_KEY_SRCLINE] = { "Source:Line", line_cell, line_width, 0, false },
	[XP_KEY_SRCFILE] = { "Source File", line_cell, line_width, 0, false },
	[XP_KEY_SRCLINE_FROM] = { "From Source:Line", line_cell, line_width, 0, false },
	[XP_KEY_SRCLINE_TO] = { "To Source:Line", line_cell, line_width, 0, false },
	[EXTRA_TRACE] = { "Trace output", last_cell, extra_width, 0, false },
	[EXTRA_TIME] = { "Time", extra_cell, time_width, 0, false },
	[EXTRA_SOCKET] = { "Socket", extra_cell, NULL, 0, false },
	[EXTRA_CGROUP] = { "Cgroup", last_cell, extra_width, 0, false },
	[EXTRA_ADDRESS] = { "Address", extra_cell, extra_width, 0, false },
	[EXTRA_WEIGHT] = { "Weight", extra_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_LOCAL_WEIGHT] = { "Local Weight", extra_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_CYCLES] = { "Basic Block Cycles", extra_cell, NULL, 0, false },
	[EXTRA_MISPREDICT] = { "Branch Mispredicted", extra_cell, NULL, 0, false },
	[EXTRA_ABORT] = { "Transaction abort", extra_cell, NULL, 0, false },
	[EXTRA_IN_TX] = { "Branch in transaction", extra_cell, NULL, 0, false },
};

const char *column_heading(const struct plan *plan, int column)
{
	return column == XP_KEY_OVERHEAD && plan->children ? "Self" : columns[column].heading;
}

int column_least(const struct sheet *sheet, int column)
{
	int width = (int)strlen(column_heading(sheet->plan, column));
	int least = columns[column].least;

	if (columns[column].is_number)
		least *= sheet->nr_members;
	return width > least ? width : least;
}

int column_wants(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	return columns[column].width ? columns[column].width(sheet, column, row) : 0;
}

bool column_is_number(int column)
{
	return columns[column].is_number;
}

int column_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return columns[column].cell(sheet, column, width, row);
}
