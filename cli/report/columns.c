/* SPDX-License-Identifier: MIT */
/* The columns of the text, in perf 6.1's layout: one table of headings, cells and widths. */
#include "numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "origin.h"
#include "separator.h"
#include "sink.h"
#include "utf8.h"

enum {
	SHARE_WIDTH = 8,
	GUEST_WIDTH = 9,
	NUMBER_WIDTH = 12,
	TRANSACTION_WIDTH = 27,
	/* "[k] " and "0x" in front of 16 digits. */
	LEVEL_WIDTH = 4,
	ADDRESS_WIDTH = 18,
	ORIGIN_WIDTH = 3, /* " k " */
	UNKNOWN_FILE_WIDTH = 16,
	PID_WIDTH = 8,
};

static const char inlined[] = " (inlined)";

static const char *file_of(const struct sheet *sheet, const struct xp_location *location)
{
	const struct xp_dso *dso = location ? location->frame.map.dso : NULL;

	if (!dso)
		return "[unknown]";
	return escaped(sheet->plan->values->show.verbose ? dso->name : dso->short_name);
}

static const char *function_of(const struct xp_location *location)
{
	const char *name = location ? location->frame.function.name : NULL;

	return name ? escaped(name) : NULL;
}

/* Bytes of @text that fill @width columns; all bytes of a character count as one column. */
static int bytes_for(const char *text, int width)
{
	size_t all = strlen(text);
	int bytes = 0;

	if (width < 0 || all <= (size_t)width)
		return (int)all;
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

static void keep_together(struct sheet *sheet, int at)
{
	separator_hide(sheet->cell + at, sheet->plan->values->show.separator);
}

int column_pad(struct sheet *sheet, int len, int width)
{
	for (int at = utf8_columns(sheet->cell); at < width && len < CELL_BYTES - 1; at++)
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

/* --- what rows are distinguished by --- */

/* A thread or process has its last name, all of it if none fits the width. Source: perf 6.1. */
static int task_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	int tid = column == XP_KEY_PID ? row->tid : row->pid;
	const char *comm =
		xp_timeline_comm_at(sheet->report->rec.timeline, row->pid, tid, XP_NO_TIME);
	int len = snprintf(sheet->cell, CELL_BYTES, "%7d:", tid);

	len += put(sheet, len, escaped(comm), width < PID_WIDTH ? CELL_BYTES : width - PID_WIDTH);
	keep_together(sheet, PID_WIDTH);
	return column_pad(sheet, len, width);
}

static int comm_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return text_cell(sheet, escaped(row->comm ?: ""), width);
}

static const struct xp_location *location_of(int column, const struct xp_profile_row *row)
{
	switch (column) {
	case XP_KEY_DSO_FROM:
	case XP_KEY_SYMBOL_FROM:
	case XP_KEY_SRCLINE_FROM:
		return row->location;
	case XP_KEY_DSO_TO:
	case XP_KEY_SYMBOL_TO:
	case XP_KEY_SRCLINE_TO:
		return row->target;
	default:
		return xp_profile_row_location(row);
	}
}

static int dso_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return text_cell(sheet, file_of(sheet, location_of(column, row)), width);
}

static int cpu_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return snprintf(sheet->cell, CELL_BYTES, "%*.*d", width, width, row->cpu);
}

/* Behind a function's name: "+0x1c". Valid until the next call. */
static const char *offset_of(const struct xp_location *location)
{
	static char text[24];

	snprintf(text, sizeof(text), "+%#" PRIx64,
		 location->frame.address - location->frame.function.start);
	return text;
}

/* The function; in the browser, of code in no known function the file, which is one row. Valid
 * until the next call. */
static const char *name_in(const struct sheet *sheet, int column,
			   const struct xp_location *location)
{
	static char text[CELL_BYTES];
	const char *name = function_of(location);

	if (name || !location || column != XP_KEY_SYMBOL ||
	    !sheet->plan->values->count.merge_unknown)
		return name;
	const char *file = file_of(sheet, location);
	snprintf(text, sizeof(text), *file == '[' ? "%s" : "[%s]", file);
	return text;
}

/* "%#.16x" */
static int put_address(struct sheet *sheet, int at, uint64_t address)
{
	char *to = sheet->cell + at;

	if (address)
		to = stpcpy(to, "0x");
	to = put_hex(to, address, 16, '0');
	*to = '\0';
	return (int)(to - sheet->cell);
}

static int symbol_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const struct xp_location *location = location_of(column, row);
	const char *name = name_in(sheet, column, location);

	if (!location)
		return text_cell(sheet, "N/A", width);
	bool is_row = column == XP_KEY_SYMBOL || column == XP_KEY_SYMOFF;
	uint64_t ip = is_row && row->target ? location->frame.ip : location->ip;
	int len = 0;
	if (sheet->plan->values->show.verbose)
		len = snprintf(sheet->cell, CELL_BYTES, "%-#*" PRIx64 " %c ", ADDRESS_WIDTH, ip,
			       symbols_origin(location));
	len += snprintf(sheet->cell + len, CELL_BYTES - (size_t)len, "[%c] ",
			is_row ? row->level : location->level);
	int name_at = len;
	if (name) {
		len += put(sheet, len, name, width > len ? width - len : 0);
		if (column == XP_KEY_SYMOFF)
			len += put(sheet, len, offset_of(location), width > len ? width - len : 0);
		if (location->is_inlined)
			len += put(sheet, len, inlined, width > len ? width - len : 0);
		keep_together(sheet, name_at);
	} else {
		len = put_address(sheet, len, ip);
	}
	return len;
}

static int address_cell(struct sheet *sheet, int column, int width,
			const struct xp_profile_row *row)
{
	(void)column;
	return snprintf(sheet->cell, CELL_BYTES, "%-#*" PRIx64, width,
			xp_profile_row_location(row)->frame.ip);
}

static int address_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	(void)sheet, (void)column;
	return snprintf(NULL, 0, "%#" PRIx64, xp_profile_row_location(row)->frame.ip);
}

static int parent_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)column;
	return text_cell(sheet, row->parent ? function_of(row->parent) : "[other]", width);
}

/* Line or file of source; "" where there is no such location. */
static const char *line_of(int column, const struct xp_profile_row *row)
{
	const struct xp_location *location = location_of(column, row);
	const char *text = !location                  ? NULL
			   : column == XP_KEY_SRCFILE ? location->file
						      : location->line;

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
	return utf8_columns(line_of(column, row));
}

static int size_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	uint64_t size;

	if (!key_size(row, column, &size))
		return snprintf(sheet->cell, CELL_BYTES, "%*s", width, "unknown");
	return snprintf(sheet->cell, CELL_BYTES, "%*" PRIu64, width, size);
}

static int extra_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return text_cell(sheet, escaped(extras_text(sheet->report->extras, row, column)), width);
}

/* At the right edge, whatever it is. */
static int number_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const char *text = escaped(extras_text(sheet->report->extras, row, column));
	int len = 0;

	while (len < width - utf8_columns(text) && len < CELL_BYTES - 1)
		sheet->cell[len++] = ' ';
	len += put(sheet, len, text, width);
	keep_together(sheet, 0);
	return len;
}

static int last_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	(void)width;
	int len =
		put(sheet, 0, escaped(extras_text(sheet->report->extras, row, column)), CELL_BYTES);

	keep_together(sheet, 0);
	return len;
}

/* --- widths --- */

/* As wide as what the thread is called at last, too. Source: perf 6.1, which is as wide as that
 * only. */
static int comm_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	int tid = column == XP_KEY_TGID ? row->pid : row->tid;
	const char *last =
		xp_timeline_comm_at(sheet->report->rec.timeline, row->pid, tid, XP_NO_TIME);
	int width = utf8_columns(escaped(row->comm ?: "")),
	    last_width = last ? utf8_columns(escaped(last)) : 0;

	if (last_width > width)
		width = last_width;
	return column == XP_KEY_COMM ? width : width + PID_WIDTH;
}

static int dso_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	const struct plan *plan = sheet->plan;
	const struct xp_location *location = location_of(column, row);
	int width =
		location && location->frame.map.dso ? utf8_columns(file_of(sheet, location)) : 0;
	bool fixed = plan->values->show.widths || plan->values->show.separator ||
		     plan->report->rec.filter.dsos.text;

	if (!function_of(location) && !fixed && width < UNKNOWN_FILE_WIDTH)
		width = UNKNOWN_FILE_WIDTH;
	return width;
}

static int symbol_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	const struct xp_location *location = location_of(column, row);
	const char *name = name_in(sheet, column, location);
	int width = LEVEL_WIDTH + (name ? utf8_columns(name) : ADDRESS_WIDTH);

	if (name && sheet->plan->values->show.verbose)
		width += ADDRESS_WIDTH + ORIGIN_WIDTH;
	if (name && column == XP_KEY_SYMOFF)
		width += (int)strlen(offset_of(location));
	return location && location->is_inlined ? width + (int)strlen(inlined) : width;
}

static int parent_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	(void)sheet, (void)column;
	return row->parent ? utf8_columns(function_of(row->parent)) : 0;
}

/* Times are as wide as with a day's seconds, at least. */
static int time_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	enum { MICROSECONDS = 12, NANOSECONDS = 16 };

	(void)column, (void)row;
	return sheet->plan->values->show.show_ns ? NANOSECONDS : MICROSECONDS;
}

static int extra_width(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	return utf8_columns(escaped(extras_text(sheet->report->extras, row, column)));
}

/* A cell is written with its width where it is a number or padded. Without width: the heading
 * says. */
static const struct column {
	const char *heading;
	int (*cell)(struct sheet *sheet, int column, int width, const struct xp_profile_row *row);
	int (*width)(const struct sheet *sheet, int column, const struct xp_profile_row *row);
	int least;
	bool is_number;
} columns[EXTRA_FIELD + 1] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { "Children", column_sum, NULL, SHARE_WIDTH, true },
	[XP_KEY_OVERHEAD] = { "Overhead", column_sum, NULL, SHARE_WIDTH, true },
	[XP_KEY_SAMPLES] = { "Samples", column_sum, NULL, NUMBER_WIDTH, true },
	[XP_KEY_PERIOD] = { "Period", column_sum, NULL, NUMBER_WIDTH, true },
	[XP_KEY_OVERHEAD_SYS] = { "sys", column_sum, NULL, SHARE_WIDTH, true },
	[XP_KEY_OVERHEAD_USER] = { "usr", column_sum, NULL, SHARE_WIDTH, true },
	[XP_KEY_OVERHEAD_GUEST_SYS] = { "guest sys", column_sum, NULL, GUEST_WIDTH, true },
	[XP_KEY_OVERHEAD_GUEST_USER] = { "guest usr", column_sum, NULL, GUEST_WIDTH, true },
	[XP_KEY_LATENCY] = { "Latency", column_sum, NULL, SHARE_WIDTH, true },
	[XP_KEY_LATENCY_CHILDREN] = { "Latency Children", column_sum, NULL, SHARE_WIDTH, true },
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
	[XP_KEY_SYMOFF] = { "Symbol Offset", symbol_cell, symbol_width, 0, false },
	[XP_KEY_ADDRESS] = { "Address", address_cell, address_width, 0, false },
	[XP_KEY_SRCLINE] = { "Source:Line", line_cell, line_width, 0, false },
	[XP_KEY_SRCFILE] = { "Source File", line_cell, line_width, 0, false },
	[XP_KEY_SRCLINE_FROM] = { "From Source:Line", line_cell, line_width, 0, false },
	[XP_KEY_SRCLINE_TO] = { "To Source:Line", line_cell, line_width, 0, false },
	[EXTRA_TRACE] = { "Trace output", last_cell, extra_width, 0, false },
	[EXTRA_TIME] = { "Time", extra_cell, time_width, 0, false },
	[EXTRA_SOCKET] = { "Socket", extra_cell, NULL, 0, false },
	[EXTRA_CGROUP] = { "Cgroup", last_cell, extra_width, 0, false },
	[EXTRA_WEIGHT] = { "Weight", extra_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_LOCAL_WEIGHT] = { "Local Weight", extra_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_CYCLES] = { "Basic Block Cycles", extra_cell, NULL, 0, false },
	[EXTRA_MISPREDICT] = { "Branch Mispredicted", extra_cell, NULL, 0, false },
	[EXTRA_ABORT] = { "Transaction abort", extra_cell, NULL, 0, false },
	[EXTRA_IN_TX] = { "Branch in transaction", extra_cell, NULL, 0, false },
	[EXTRA_CGROUP_ID] = { "cgroup id (dev/inode)", extra_cell, extra_width, 0, false },
	[EXTRA_TRANSACTION] = { "Transaction", extra_cell, extra_width, TRANSACTION_WIDTH, false },
	[EXTRA_CODE_PAGE_SIZE] = { "Code Page Size", extra_cell, extra_width, 0, false },
	[EXTRA_DATA_PAGE_SIZE] = { "Data Page Size", extra_cell, extra_width, 0, false },
	[EXTRA_PHYSICAL] = { "Data Physical Address", extra_cell, extra_width, 0, false },
	[EXTRA_INS_LAT] = { "INSTR Latency", extra_cell, extra_width, 0, false },
	[EXTRA_LOCAL_INS_LAT] = { "Local INSTR Latency", extra_cell, extra_width, 0, false },
	[EXTRA_RETIRE_LAT] = { "Retire Latency", extra_cell, extra_width, 0, false },
	[EXTRA_LOCAL_RETIRE_LAT] = { "Local Retire Latency", extra_cell, extra_width, 0, false },
	[EXTRA_STAGE_CYCLES] = { "Pipeline Stage Cycle", extra_cell, extra_width, 0, false },
	[EXTRA_LOCAL_STAGE_CYCLES] = { "Local Pipeline Stage Cycle", extra_cell, extra_width, 0,
				       false },
	[EXTRA_WEIGHT1] = { "Weight1", number_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_WEIGHT2] = { "Weight2", number_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_WEIGHT3] = { "Weight3", number_cell, extra_width, NUMBER_WIDTH, false },
	[EXTRA_PARALLELISM] = { "Parallelism", number_cell, extra_width, 0, false },
	[EXTRA_PLAIN_COMM] = { "CommandNoDigit", extra_cell, extra_width, 0, false },
	[EXTRA_WAKER] = { "Waker", extra_cell, extra_width, 0, false },
	[EXTRA_OP] = { "Memory operation", extra_cell, extra_width, 0, false },
	[EXTRA_MEM] = { "Memory access", extra_cell, extra_width, 24, false },
	[EXTRA_SNOOP] = { "Snoop", extra_cell, extra_width, 12, false },
	[EXTRA_TLB] = { "TLB access", extra_cell, extra_width, 22, false },
	[EXTRA_LOCKED] = { "Locked", extra_cell, extra_width, 0, false },
	[EXTRA_BLOCKED] = { "Blocked", extra_cell, extra_width, 10, false },
	[EXTRA_DATA_SYMBOL] = { "Data Symbol", extra_cell, extra_width, 0, false },
	[EXTRA_DATA_DSO] = { "Data Object", extra_cell, extra_width, 0, false },
	[EXTRA_CODE_SYMBOL] = { "Code Symbol", extra_cell, extra_width, 0, false },
	[EXTRA_CACHE_LINE] = { "Data Cacheline", extra_cell, extra_width, 0, false },
	[EXTRA_FROM] = { "Source Address", extra_cell, extra_width, 0, false },
	[EXTRA_TO] = { "Target Address", extra_cell, extra_width, 0, false },
	[SPLIT_OP] = { NULL, number_split_cell, NULL, 0, false },
	[SPLIT_CACHE] = { NULL, number_split_cell, NULL, 0, false },
	[SPLIT_MEMORY] = { NULL, number_split_cell, NULL, 0, false },
	[SPLIT_SNOOP] = { NULL, number_split_cell, NULL, 0, false },
	[SPLIT_DTLB] = { NULL, number_split_cell, NULL, 0, false },
	[BRANCHES_PREDICTED] = { NULL, number_branch_cell, NULL, 0, false },
	[BRANCHES_ABORTED] = { NULL, number_branch_cell, NULL, 0, false },
	[BRANCHES_CYCLES] = { NULL, number_branch_cell, NULL, 0, false },
	[EXTRA_FIELD] = { NULL, number_cell, extra_width, 0, false },
};

static const struct column *column_of(int column)
{
	return &columns[column < EXTRA_FIELD ? column : EXTRA_FIELD];
}

/* Of two numbers: the time on CPUs, and off them. Valid until the next call. */
static const char *heading_of_both(int column, const char *heading)
{
	static char text[40];

	if (column == XP_KEY_PERIOD)
		return "Time on/off, ms";
	snprintf(text, sizeof(text), "%s on/off", heading);
	return text;
}

const char *column_heading(const struct sheet *sheet, int column)
{
	const struct plan *plan = sheet->plan;
	const char *fields = plan->values->show.fields;
	bool is_self = column == XP_KEY_OVERHEAD && plan->children && (!fields || *fields == '+');

	if (column >= EXTRA_FIELD)
		return trace_field_name(plan, column, sheet->event);
	if (number_is_one(column))
		return number_heading(sheet, column);
	const char *heading = is_self ? "Self" : columns[column].heading;
	return sheet_has_waits(sheet) && columns[column].is_number
		       ? heading_of_both(column, heading)
		       : heading;
}

int column_least(const struct sheet *sheet, int column)
{
	int width = (int)strlen(column_heading(sheet, column));
	int least = column_of(column)->least;

	if (column >= EXTRA_FIELD)
		least = trace_field_width(sheet->plan, column, sheet->event);
	if (column_of(column)->is_number)
		least *= sheet->nr_members;
	return width > least ? width : least;
}

int column_wants(const struct sheet *sheet, int column, const struct xp_profile_row *row)
{
	return column_of(column)->width ? column_of(column)->width(sheet, column, row) : 0;
}

bool column_is_number(int column)
{
	return column_of(column)->is_number;
}

int column_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	return column_of(column)->cell(sheet, column, width, row);
}
