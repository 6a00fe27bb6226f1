/* SPDX-License-Identifier: MIT */
/* Columns of numbers: shares and sums, of each event of a group. */
#include <inttypes.h>
#include <string.h>

#include "columns.h"
#include "number.h"

enum { NUMBER_ROOM = 64 }; /* a share with its colors, at most */

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

static uint64_t sys_of(const struct xp_profile_sum *sum)
{
	return sum->parts[XP_PART_SYS];
}

static uint64_t user_of(const struct xp_profile_sum *sum)
{
	return sum->parts[XP_PART_USER];
}

static uint64_t guest_sys_of(const struct xp_profile_sum *sum)
{
	return sum->parts[XP_PART_GUEST_SYS];
}

static uint64_t guest_user_of(const struct xp_profile_sum *sum)
{
	return sum->parts[XP_PART_GUEST_USER];
}

static uint64_t latency_of(const struct xp_profile_sum *sum)
{
	return sum->latency;
}

static uint64_t children_latency_of(const struct xp_profile_sum *sum)
{
	return sum->children_latency;
}

static const struct xp_profile_sum *sum_of(const struct sheet *sheet,
					   const struct xp_profile_row *row, int member)
{
	return row->members && sheet->nr_members > 1 ? &row->members[member] : &row->sum;
}

/* Source of the thresholds and codes: perf 6.1. */
const char *share_color(const struct values *values, double percent)
{
	if (!values->show.color || percent < 0.5)
		return "";
	return percent < 5 ? "\033[32m" : "\033[31m";
}

const char *share_color_end(const struct values *values, double percent)
{
	return *share_color(values, percent) ? "\033[m" : "";
}

static int put_text(struct sheet *sheet, int at, const char *text, size_t len)
{
	memcpy(sheet->cell + at, text, len + 1);
	return at + (int)len;
}

/* "%*.2f%%": there is one in each row, and snprintf() takes four times as long. */
static int put_share(struct sheet *sheet, int at, int width, double percent)
{
	char text[NUMBER_LEN + 1];
	size_t len = number_fixed(text, percent, 2);

	for (int left = width - (int)len; left > 0 && at < CELL_BYTES - NUMBER_ROOM; left--)
		sheet->cell[at++] = ' ';
	text[len++] = '%';
	text[len] = '\0';
	return put_text(sheet, at, text, len);
}

static int share_cells(struct sheet *sheet, const struct xp_profile_row *row, int width,
		       number_fn number, const uint64_t *totals)
{
	const struct values *values = sheet->plan->values;
	bool separated = values->show.separator != NULL;
	int len = 0;

	width /= sheet->nr_members;
	for (int i = 0; i < sheet->nr_members && len < CELL_BYTES - 2 * NUMBER_ROOM; i++) {
		double total = (double)totals[i];
		double period = (double)number(sum_of(sheet, row, i));

		double percent = total > 0 ? 100 * period / total : 0;
		double colored = separated ? 0 : percent;
		const char *color = share_color(values, colored);
		const char *color_end = share_color_end(values, colored);

		len = put_text(sheet, len, color, strlen(color));
		sheet->cell[len++] = ' ';
		len = put_share(sheet, len, separated ? 1 : width - 2, percent);
		len = put_text(sheet, len, color_end, strlen(color_end));
	}
	return len;
}

static int number_cells(struct sheet *sheet, const struct xp_profile_row *row, int width,
			number_fn number)
{
	bool separated = sheet->plan->values->show.separator != NULL;
	int len = 0;

	width /= sheet->nr_members;
	for (int i = 0; i < sheet->nr_members && len < CELL_BYTES - 64; i++) {
		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), " %*" PRIu64,
				separated ? 1 : width - 1, number(sum_of(sheet, row, i)));
	}
	return len;
}

/* Periods that are nanoseconds, of what the first column is a share of. */
static int time_cells(struct sheet *sheet, const struct xp_profile_row *row, int width)
{
	bool separated = sheet->plan->values->show.separator != NULL;
	number_fn number = sheet->plan->children ? children_of : period_of;
	int len = 0;

	width /= sheet->nr_members;
	for (int i = 0; i < sheet->nr_members; i++)
		len += snprintf(sheet->cell + len, (size_t)(CELL_BYTES - len), " %*.3f",
				separated ? 1 : width - 1,
				(double)number(sum_of(sheet, row, i)) / 1e6);
	return len;
}

/* A column of numbers. @is_latency: a share of the time that passed */
static const struct sum_column {
	number_fn number;
	bool is_share, is_latency;
} sum_columns[XP_KEY_PID] = {
	[XP_KEY_OVERHEAD_CHILDREN] = { children_of, true, false },
	[XP_KEY_OVERHEAD] = { period_of, true, false },
	[XP_KEY_SAMPLES] = { samples_of, false, false },
	[XP_KEY_PERIOD] = { period_of, false, false },
	[XP_KEY_OVERHEAD_SYS] = { sys_of, true, false },
	[XP_KEY_OVERHEAD_USER] = { user_of, true, false },
	[XP_KEY_OVERHEAD_GUEST_SYS] = { guest_sys_of, true, false },
	[XP_KEY_OVERHEAD_GUEST_USER] = { guest_user_of, true, false },
	[XP_KEY_LATENCY] = { latency_of, true, true },
	[XP_KEY_LATENCY_CHILDREN] = { children_latency_of, true, true },
};

int column_sum(struct sheet *sheet, int column, int width, const struct xp_profile_row *row)
{
	const struct sum_column *sum = &sum_columns[column];

	if (column == XP_KEY_PERIOD && sheet_has_waits(sheet))
		return time_cells(sheet, row, width);
	if (!sum->is_share)
		return number_cells(sheet, row, width, sum->number);
	return share_cells(sheet, row, width, sum->number,
			   sum->is_latency ? sheet->latencies : sheet->totals);
}
