/* SPDX-License-Identifier: MIT */
/* Rows as text in perf 6.1's layout: one table of columns, each with its heading and its cells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "utf8.h"

enum {
	CELL_BYTES = 4096,
	SHARE_WIDTH = 8,
	NUMBER_WIDTH = 12,
	/* "[k] " and "0x" in front of 16 digits. */
	LEVEL_WIDTH = 4,
	ADDRESS_WIDTH = 18,
	UNKNOWN_FILE_WIDTH = 16,
	PID_WIDTH = 8,
};

struct sheet {
	FILE *file;
	const struct plan *plan;
	uint64_t total;
	int widths[MAX_COLUMNS];
	bool elided[MAX_COLUMNS];
	char cell[CELL_BYTES];
};

/* Writes the cell, @width columns wide where it is a number or padded. */
typedef int (*cell_fn)(struct sheet *sheet, const struct xp_profile_row *row, int width);
/* How wide a cell wants to be; NULL: the heading says. */
typedef int (*width_fn)(const struct plan *plan, const struct xp_profile_row *row);

static const char *comm_of(const struct xp_profile_row *row)
{
	return escaped(row->comm ? row->comm : "");
}

static const char *file_of(const struct xp_profile_row *row)
{
	const struct xp_dso *dso = row->place->frame.map.dso;

	return dso ? escaped(dso->short_name) : "[unknown]";
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

static int pad(struct sheet *sheet, int len, int width)
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
	return pad(sheet, len, width);
}

static int share_cell(struct sheet *sheet, uint64_t period, int width)
{
	double share = sheet->total ? 100.0 * (double)period / (double)sheet->total : 0;

	return snprintf(sheet->cell, CELL_BYTES, " %*.2f%%",
			sheet->plan->values->separator ? 1 : width - 2, share);
}

static int number_cell(struct sheet *sheet, uint64_t number, int width)
{
	return snprintf(sheet->cell, CELL_BYTES, " %*" PRIu64,
			sheet->plan->values->separator ? 1 : width - 1, number);
}

static int children_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return share_cell(sheet, row->children_period, width);
}

static int overhead_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return share_cell(sheet, row->period, width);
}

static int samples_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return number_cell(sheet, row->samples, width);
}

static int period_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return number_cell(sheet, row->period, width);
}

static int pid_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	int len = snprintf(sheet->cell, CELL_BYTES, "%7d:", row->tid);

	len += put(sheet, len, comm_of(row), width > PID_WIDTH ? width - PID_WIDTH : 0);
	keep_together(sheet, PID_WIDTH);
	return pad(sheet, len, width);
}

static int comm_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return text_cell(sheet, comm_of(row), width);
}

static int dso_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return text_cell(sheet, file_of(row), width);
}

static int cpu_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	return snprintf(sheet->cell, CELL_BYTES, "%*.*d", width, width, row->cpu);
}

static int symbol_cell(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	const struct xp_spot *place = row->place;
	int len = snprintf(sheet->cell, CELL_BYTES, "[%c] ", place->level);

	if (place->frame.function.name) {
		len += put(sheet, len, escaped(place->frame.function.name),
			   width > len ? width - len : 0);
		keep_together(sheet, LEVEL_WIDTH);
	} else {
		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), "%-#.16" PRIx64,
				place->ip);
	}
	return len;
}

static int comm_width(const struct plan *plan, const struct xp_profile_row *row)
{
	(void)plan;
	return columns_of(comm_of(row));
}

static int pid_width(const struct plan *plan, const struct xp_profile_row *row)
{
	return comm_width(plan, row) + PID_WIDTH;
}

static int dso_width(const struct plan *plan, const struct xp_profile_row *row)
{
	const struct xp_frame *frame = &row->place->frame;
	int width = frame->map.dso ? columns_of(file_of(row)) : 0;
	bool fixed = plan->values->widths || plan->values->separator || plan->dsos.text;

	if (!frame->function.name && !fixed && width < UNKNOWN_FILE_WIDTH)
		width = UNKNOWN_FILE_WIDTH;
	return width;
}

static int symbol_width(const struct plan *plan, const struct xp_profile_row *row)
{
	const char *name = row->place->frame.function.name;

	(void)plan;
	return LEVEL_WIDTH + (name ? columns_of(escaped(name)) : ADDRESS_WIDTH);
}

static const struct column {
	const char *heading;
	cell_fn cell;
	width_fn width;
	int least;
	bool is_number;
} columns[XP_NR_KEYS] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { "Children", children_cell, NULL, SHARE_WIDTH, true },
	[XP_KEY_OVERHEAD] = { "Overhead", overhead_cell, NULL, SHARE_WIDTH, true },
	[XP_KEY_SAMPLES] = { "Samples", samples_cell, NULL, NUMBER_WIDTH, true },
	[XP_KEY_PERIOD] = { "Period", period_cell, NULL, NUMBER_WIDTH, true },
	[XP_KEY_PID] = { "    Pid:Command", pid_cell, pid_width, 0, false },
	[XP_KEY_COMM] = { "Command", comm_cell, comm_width, 0, false },
	[XP_KEY_DSO] = { "Shared Object", dso_cell, dso_width, 0, false },
	[XP_KEY_SYMBOL] = { "Symbol", symbol_cell, symbol_width, 0, false },
	[XP_KEY_CPU] = { "CPU", cpu_cell, NULL, 3, false },
};

static const char *heading_of(const struct plan *plan, enum xp_key key)
{
	return key == XP_KEY_OVERHEAD && plan->children ? "Self" : columns[key].heading;
}

/* The one word of a filter, whose column would say the same in every row; NULL: several, none. */
static const char *only_word(const struct plan *plan, enum xp_key key)
{
	const struct words *words = key == XP_KEY_COMM     ? &plan->comms
				    : key == XP_KEY_DSO    ? &plan->dsos
				    : key == XP_KEY_SYMBOL ? &plan->symbols
							   : NULL;

	return words && words->text && strlen(words->text) == words->len ? words->text : NULL;
}

static void elide(struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	bool any_left = false;

	for (int i = 0; i < plan->nr_columns; i++) {
		sheet->elided[i] = only_word(plan, plan->columns[i]) != NULL;
		any_left |= !sheet->elided[i] && !columns[plan->columns[i]].is_number;
	}
	if (!any_left)
		memset(sheet->elided, 0, sizeof(sheet->elided));
}

static void measure(struct sheet *sheet, const struct xp_profile *profile, int event)
{
	const struct plan *plan = sheet->plan;
	const struct xp_profile_row *row;

	for (int i = 0; i < plan->nr_columns; i++) {
		const struct column *column = &columns[plan->columns[i]];
		int width = (int)strlen(heading_of(plan, plan->columns[i]));

		if (width < column->least)
			width = column->least;
		for (size_t r = 0; column->width && !plan->widths[i] &&
				   (row = xp_profile_row(profile, event, r)) != NULL;
		     r++) {
			int wanted = column->width(plan, row);

			width = wanted > width ? wanted : width;
		}
		sheet->widths[i] = plan->widths[i] ? plan->widths[i] : width;
	}
}

static void put_headings(const struct sheet *sheet)
{
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->separator;
	const char *between = "";

	fputs("# ", sheet->file);
	for (int i = 0; i < plan->nr_columns; i++) {
		const char *heading = heading_of(plan, plan->columns[i]);

		if (sheet->elided[i])
			continue;
		if (columns[plan->columns[i]].is_number)
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

static void put_row(struct sheet *sheet, const struct xp_profile_row *row)
{
	const struct plan *plan = sheet->plan;
	const char *separator = plan->values->separator;
	const char *between = separator ? "" : "  ";
	int last = plan->nr_columns - 1;

	while (last > 0 && sheet->elided[last])
		last--;
	for (int i = 0; i <= last; i++) {
		if (sheet->elided[i])
			continue;
		int len = columns[plan->columns[i]].cell(sheet, row, sheet->widths[i]);

		if (i < last)
			pad(sheet, len, sheet->widths[i]);
		fprintf(sheet->file, "%s%s", between, sheet->cell);
		between = separator ? separator : "  ";
	}
	fputc('\n', sheet->file);
}

static void put_rows(struct sheet *sheet, struct recording *rec, int event)
{
	const struct plan *plan = sheet->plan;
	const struct xp_profile_row *row;

	for (size_t i = 0; (row = xp_profile_row(rec->profile, event, i)) != NULL; i++) {
		uint64_t period = plan->children ? row->children_period : row->period;
		double share = sheet->total ? 100.0 * (double)period / (double)sheet->total : 0;
		const struct xp_chain *root;

		if (share < plan->percent_limit)
			continue;
		put_row(sheet, row);
		if (graph_can_show(plan, sheet->total, period) &&
		    !xp_profile_chains(rec->profile, event, i, &root))
			graph_print(sheet->file, root, plan, sheet->total, period);
	}
}

/* "1K": thousands and more are cut. Source: perf 6.1. */
static void put_samples(FILE *file, uint64_t samples, const char *name, uint64_t period)
{
	static const char units[] = " KMG";
	int unit = 0;

	for (; samples > 1000 && units[unit + 1]; unit++)
		samples /= 1000;
	fprintf(file, "# Samples: %" PRIu64 "%c of event '%s'\n", samples, units[unit],
		escaped(name));
	fprintf(file, "# Event count (approx.): %" PRIu64 "\n#\n", period);
}

static void put_event(struct sheet *sheet, struct recording *rec, int event)
{
	const struct plan *plan = sheet->plan;
	struct xp_profile_total total = xp_profile_total(rec->profile, event);
	const char *name = xp_data_event(rec->input.data, event)->name;

	sheet->total = plan->relative ? total.kept_period : total.period;
	if (!plan->values->quiet)
		put_samples(sheet->file, plan->relative ? total.kept_samples : total.samples,
			    name ? name : "?", sheet->total);
	measure(sheet, rec->profile, event);
	if (!plan->values->quiet)
		put_headings(sheet);
	put_rows(sheet, rec, event);
	fputs("\n\n", sheet->file);
}

static void put_elided(const struct sheet *sheet)
{
	for (int i = 0; i < sheet->plan->nr_columns; i++)
		if (sheet->elided[i])
			fprintf(sheet->file, "# %s: %s\n", xp_key_name(sheet->plan->columns[i]),
				escaped(only_word(sheet->plan, sheet->plan->columns[i])));
}

void stdio_print(FILE *file, struct recording *rec, const struct plan *plan)
{
	struct sheet *sheet = calloc(1, sizeof(*sheet));

	if (!sheet)
		return;
	sheet->file = file;
	sheet->plan = plan;
	elide(sheet);
	if (!plan->values->quiet) {
		put_elided(sheet);
		fprintf(file, "#\n# Total Lost Samples: %" PRIu64 "\n", rec->tally.lost_samples);
		quality_print(file, rec);
		fputs("#\n", file);
	}
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_profile_total(rec->profile, i).samples)
			put_event(sheet, rec, i);
	free(sheet);
}
