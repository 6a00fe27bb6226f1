/* SPDX-License-Identifier: MIT */
/* A profile whose rows are addresses of functions, put into the order of functions and addresses.
 */
#include "heat.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/data.h>
#include <xperf/profile.h>
#include <xperf/record.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>

#include "fill.h"

/* A row with its function, to be sorted. */
struct hot_row {
	const struct xp_frame *frame;
	struct heat_place place;
};

int heat_begin(struct recording *rec, struct heat *ret_heat)
{
	static const enum xp_key keys[] = { XP_KEY_DSO, XP_KEY_SYMBOL, XP_KEY_SYMOFF };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = sizeof(keys) / sizeof(keys[0]),
		.nr_events = rec->nr_events ? rec->nr_events : 1,
		.nr_threads = recording_jobs(rec->opts),
	};

	*ret_heat = (struct heat){ .nr_events = rec->nr_events, .rec = rec };
	return xp_profile_new(rec->timeline, &opts, &ret_heat->profile);
}

int heat_note(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	const struct heat *heat = data;

	return xp_profile_note_at(heat->profile, record, id, xp_data_position(heat->rec->data));
}

int heat_add(struct heat *heat, const struct recorded *recorded)
{
	return xp_profile_add(heat->profile, recorded->event, &recorded->sample);
}

static bool keeps(const struct xp_profile_row *row, void *data)
{
	struct heat *heat = data;
	const struct xp_frame *frame = &row->location->frame;

	if (frame->map.dso && frame->symtab &&
	    xp_symtab_get_state(frame->symtab) != XP_SYMTAB_FOUND) {
		heat->unknown = frame->map.dso;
		heat->reason = xp_symtab_reason(frame->symtab);
	}
	return frame->function.name && frame->symtab && recording_keeps_row(heat->rec, row);
}

/* --- the order of functions and addresses --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_functions(const struct xp_frame *a, const struct xp_frame *b)
{
	int order = compare_numbers((uint64_t)a->map.dso->index, (uint64_t)b->map.dso->index);

	return order ? order : compare_numbers(a->function.start, b->function.start);
}

static int compare_rows(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;
	int order = compare_functions(x->frame, y->frame);

	if (!order)
		order = compare_numbers(x->place.address, y->place.address);
	return order ? order : x->place.event - y->place.event;
}

static size_t count_rows(const struct heat *heat)
{
	size_t nr = 0;

	for (int event = 0; event < heat->nr_events; event++)
		nr += xp_profile_nr_rows(heat->profile, event);
	return nr;
}

/* All rows with samples of their own. Returns their number. */
static size_t collect(const struct heat *heat, struct hot_row *rows)
{
	const struct xp_profile_row *row;
	size_t nr = 0;

	for (int event = 0; event < heat->nr_events; event++)
		for (size_t i = 0; (row = xp_profile_row_at(heat->profile, event, i)); i++)
			rows[nr++] = (struct hot_row){
				.frame = &row->location->frame,
				.place = { row->location->frame.address,
					   event,
					   { row->sum.period, row->sum.samples } },
			};
	return nr;
}

static void add_sum(struct heat_sum *to, const struct heat_sum *sum)
{
	to->period += sum->period;
	to->samples += sum->samples;
}

/* Rows in their order become functions with places. */
static void make_functions(struct heat *heat, const struct hot_row *rows, size_t nr)
{
	struct heat_sum *free_sums = heat->sums, *sums = NULL;
	struct hot_function *function = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (!function || compare_functions(function->frame, rows[i].frame)) {
			sums = free_sums;
			free_sums += heat->nr_events;
			function = &heat->functions[heat->nr_functions++];
			*function = (struct hot_function){ .frame = rows[i].frame,
							   .places = &heat->places[i],
							   .sums = sums };
		}
		heat->places[i] = rows[i].place;
		function->nr_places++;
		add_sum(&sums[rows[i].place.event], &rows[i].place.sum);
	}
}

static size_t count_functions(const struct hot_row *rows, size_t nr)
{
	size_t functions = nr ? 1 : 0;

	for (size_t i = 1; i < nr; i++)
		functions += compare_functions(rows[i - 1].frame, rows[i].frame) != 0;
	return functions;
}

static int make(struct heat *heat)
{
	size_t nr = count_rows(heat);
	struct hot_row *rows = calloc(nr + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	nr = collect(heat, rows);
	qsort(rows, nr, sizeof(*rows), compare_rows);
	size_t functions = count_functions(rows, nr);
	heat->functions = calloc(functions + 1, sizeof(*heat->functions));
	heat->places = calloc(nr + 1, sizeof(*heat->places));
	heat->sums = calloc(functions * (size_t)heat->nr_events + 1, sizeof(*heat->sums));
	bool is_there = heat->functions && heat->places && heat->sums;
	if (is_there)
		make_functions(heat, rows, nr);
	free(rows);
	return is_there ? 0 : -ENOMEM;
}

static int make_totals(struct heat *heat)
{
	struct xp_profile_total total = { .size = sizeof(total) };

	heat->totals = calloc((size_t)heat->nr_events + 1, sizeof(*heat->totals));
	if (!heat->totals)
		return -ENOMEM;
	for (int event = 0; event < heat->nr_events; event++) {
		xp_profile_total_at(heat->profile, event, &total);
		heat->totals[event] = (struct heat_sum){ total.period, total.samples };
	}
	return 0;
}

int heat_end(struct heat *heat)
{
	return xp_profile_resolve(heat->profile, heat->rec->resolver, keeps, heat)
		       ?: make_totals(heat)
		       ?: make(heat);
}

int heat_load(struct recording *rec, struct heat *ret_heat)
{
	return heat_begin(rec, ret_heat)
		       ?: recording_load(rec, heat_note, ret_heat)
		       ?: recording_fill(rec, ret_heat->profile, rec->opts->jobs, NULL, NULL)
		       ?: heat_end(ret_heat);
}

void heat_fini(struct heat *heat)
{
	xp_profile_free(heat->profile);
	free(heat->functions);
	free(heat->places);
	free(heat->sums);
	free(heat->totals);
}
