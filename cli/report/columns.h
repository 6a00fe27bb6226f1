/* SPDX-License-Identifier: MIT */
/* The columns of the text: their headings, cells and widths. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report.h"

enum { CELL_BYTES = 4096, MAX_NUMBERS = 64 };

struct sheet {
	FILE *file;
	const struct plan *plan;
	struct report *report;
	int event;                    /* whose rows these are */
	int nr_members;               /* of its group; 1: it is in none */
	uint64_t *totals, *latencies; /* what shares of the members are of */
	int widths[MAX_COLUMNS];
	bool elided[MAX_COLUMNS];
	uint64_t numbers[MAX_NUMBERS]; /* of all rows: numbers.h */
	char cell[CELL_BYTES];
};

/* Whether these are the time on CPUs and off them. */
static inline bool sheet_has_waits(const struct sheet *sheet)
{
	return sheet->plan->with_waits && sheet->nr_members > 1;
}

/* stdio.c: a sheet of a report, to be freed with sheet_free(); NULL without memory. */
struct sheet *sheet_new(FILE *file, struct report *report, const struct plan *plan);
void sheet_free(struct sheet *sheet);
/* Goes to an event and those that are shown beside it. Returns their period. */
uint64_t sheet_begin(struct sheet *sheet, int event);
/* Prints what is said of it above the rows. */
void sheet_put_samples(const struct sheet *sheet, uint64_t samples, uint64_t period);
/* Measures its rows, before the first is printed. */
void sheet_measure(struct sheet *sheet, uint64_t period);

const char *column_heading(const struct sheet *sheet, int column);
/* The least width, without a look at the rows. */
int column_least(const struct sheet *sheet, int column);
/* How wide a row wants the column. */
int column_wants(const struct sheet *sheet, int column, const struct xp_profile_row *row);
bool column_is_number(int column);
/* Writes the cell of the i-th column. Returns its length, in bytes. */
int column_cell(struct sheet *sheet, int column, int width, const struct xp_profile_row *row);
/* Fills up the cell with blanks. Returns its new length. */
int column_pad(struct sheet *sheet, int len, int width);

/* columns-sums.c: the cell of a sum. Returns its length. */
int column_sum(struct sheet *sheet, int column, int width, const struct xp_profile_row *row);

/* hierarchy.c: instead of a table, with its headings. */
void hierarchy_headings(struct sheet *sheet);
void hierarchy_rows(struct sheet *sheet);

#endif
