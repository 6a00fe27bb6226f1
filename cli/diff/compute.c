/* SPDX-License-Identifier: MIT */
/* What has changed between the sides, and which change is shown first. Source: perf diff, 6.1,
 * measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

/* The shares of a row in the files of each side that have the event. */
static void sum_up(const struct diff *diff, const struct diff_event *event, struct diff_row *row)
{
	for (int i = 0; i < diff->nr_sources; i++) {
		struct share *share = &row->shares[diff->sources[i].side];
		double total = (double)event->totals[i];

		if (!event->is_there[i])
			continue;
		xp_stats_add(&share->stats, total > 0 ? 100 * (double)row->periods[i] / total : 0);
		share->period += row->periods[i];
		share->total += event->totals[i];
		share->nr += row->periods[i] != 0;
	}
}

/* Periods of sides with several files are those of one file on average. */
static double period_of(const struct share *share)
{
	return share->stats.n ? (double)share->period / (double)share->stats.n : 0;
}

static void compare(const struct diff *diff, struct diff_row *row, int side)
{
	const struct share *base = &row->shares[0], *other = &row->shares[side];
	const int64_t *weights = diff->values->weights;
	struct change *change = &row->changes[side];

	if (!other->nr)
		return;
	switch (diff->values->compute) {
	case COMPUTE_RATIO:
		change->has_value = base->nr;
		change->value = change->has_value ? period_of(other) / period_of(base) : 0;
		break;
	case COMPUTE_WDIFF:
		change->has_value = base->nr;
		change->value = period_of(other) * (double)weights[1] -
				period_of(base) * (double)weights[0];
		break;
	default:
		change->has_value = true;
		change->value = other->stats.mean - base->stats.mean;
		break;
	}
}

static void compute_row(const struct diff *diff, const struct diff_event *event,
			struct diff_row *row)
{
	sum_up(diff, event, row);
	for (int side = 1; side < diff->nr_sides; side++) {
		struct change *change = &row->changes[side];

		compare(diff, row, side);
		change->has_interval =
			(row->shares[0].nr || row->shares[side].nr) &&
			!xp_stats_difference(&row->shares[0].stats, &row->shares[side].stats,
					     &change->low, &change->high);
	}
}

/* --- order --- */

/* Those with a change come first, then those that are new, then those that are gone. */
static int rank(const struct diff_row *row, int side)
{
	return row->changes[side].has_value ? 0 : row->shares[side].nr ? 1 : 2;
}

static int larger_first(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b, void *data)
{
	const struct diff *diff = data;
	const struct diff_row *l = *(struct diff_row *const *)a, *r = *(struct diff_row *const *)b;
	int side = diff->values->order, order = 0;

	if (side) {
		double left = l->changes[side].value, right = r->changes[side].value;

		if (diff->values->compute == COMPUTE_DELTA_ABS) {
			left = fabs(left);
			right = fabs(right);
		}
		order = rank(l, side) - rank(r, side);
		if (!order && !rank(l, side))
			order = larger_first(left, right);
	}
	for (int i = 0; i < diff->nr_sides && !order; i++)
		order = larger_first(l->shares[i].stats.mean, r->shares[i].stats.mean);
	for (int i = 0; i < diff->nr_keys && !order; i++)
		order = strcmp(l->cells[i], r->cells[i]);
	return order;
}

void diff_compute(struct diff *diff)
{
	for (int i = 0; i < diff->nr_events; i++) {
		struct diff_event *event = &diff->events[i];

		for (size_t r = 0; r < event->nr; r++) {
			compute_row(diff, event, event->rows[r]);
			for (int side = 1; side < diff->nr_sides; side++)
				diff->has_intervals |= event->rows[r]->changes[side].has_interval;
		}
		if (event->nr)
			qsort_r(event->rows, event->nr, sizeof(*event->rows), compare_rows, diff);
	}
}

bool diff_row_is_shown(const struct diff *diff, const struct diff_row *row)
{
	bool has_pair = false;

	for (int side = 1; side < diff->nr_sides; side++)
		has_pair |= row->shares[side].nr > 0;
	return !diff->values->baseline_only || (row->shares[0].nr && has_pair);
}
