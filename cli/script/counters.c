/* SPDX-License-Identifier: MIT */
/*
 * Counters of branches: what the events of a group have counted since the branch before, some bits
 * of a word for each.
 *
 * Source: linux/perf_event.h, PERF_SAMPLE_BRANCH_COUNTERS; sysfs-bus-event_source-devices-caps,
 * "branch_counter_width"; of the letters: perf 7.2.
 */
#include <errno.h>
#include <xperf/diag.h>

#include "header.h"
#include "script.h"

enum { LETTERS = 26, MOST_LETTERS = 64 };

static bool counts_branches(const struct xp_data_event *event)
{
	return event->attr.branch_sample_type & XP_BRANCH_COUNTERS;
}

/* How many events of its group, from the leader on, have a counter. @ret_first: the letters of
 * those of groups before */
static int nr_counters(const struct script *script, const struct xp_data_event *event,
		       int *ret_first)
{
	int first = 0, nr = 0;

	for (int i = 0; i < script->nr_views; i++) {
		const struct xp_data_event *other = script->views[i].event;

		if (!counts_branches(other))
			continue;
		if (other->leader == event->leader)
			nr++;
		else if (other->leader < event->leader)
			first++;
	}
	*ret_first = first;
	return nr;
}

int counters_make(struct script *script, struct xp_diag *diag)
{
	bool is_asked = false, is_recorded = false;
	uint64_t width = header_cap(script->rec->data, "branch_counter_width");

	for (int i = 0; i < script->nr_views; i++) {
		is_asked |= (script->views[i].fields & F_BRCNTR) != 0;
		is_recorded |= counts_branches(script->views[i].event);
	}
	if (is_asked && !is_recorded) {
		xp_diag_set(diag, -EINVAL, "No event counts per branch ('brcntr')");
		xp_diag_hint(diag, "xperf record -j any,counter records that");
		return -EINVAL;
	}
	if (is_asked && (!width || width > 32))
		return xp_diag_set(diag, -EINVAL,
				   "The recording does not have the width of the counters of "
				   "branches ('brcntr')");
	script->counter_width = width <= 32 ? (unsigned int)width : 0;
	return 0;
}

void counters_describe(struct script *script)
{
	int letter = 0;

	if (script->are_counters_described)
		return;
	script->are_counters_described = true;
	sink_text(&script->out, "# Counters of branches:");
	for (int i = 0; i < script->nr_views; i++) {
		if (!counts_branches(script->views[i].event))
			continue;
		sink_char(&script->out, ' ');
		sink_char(&script->out, (char)('A' + letter++ % LETTERS));
		sink_text(&script->out, " = ");
		sink_escaped(&script->out, script->views[i].plain_name);
		sink_char(&script->out, ',');
	}
	sink_text(&script->out, " - = none, + = the counter was full\n");
}

uint64_t counter_of(const struct script *script, uint64_t word, int idx)
{
	return word >> (unsigned int)idx * script->counter_width &
	       ((UINT64_C(1) << script->counter_width) - 1);
}

int counters_nr(const struct script *script, const struct view *view)
{
	int first, nr = nr_counters(script, view->event, &first);
	int most = script->counter_width ? 64 / (int)script->counter_width : 0;

	return nr < most ? nr : most;
}

void counters_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	int first, nr = counters_nr(script, view);
	uint64_t full = (UINT64_C(1) << script->counter_width) - 1;

	nr_counters(script, view->event, &first);
	sink_text(&script->out, " br_cntr:");
	for (size_t i = 0; sample->branch_counters && i < sample->nr_branches; i++) {
		bool any = false;

		sink_char(&script->out, ' ');
		for (int n = 0; n < nr; n++) {
			uint64_t count = counter_of(script, sample->branch_counters[i], n);

			for (uint64_t c = 0; c < count && c < MOST_LETTERS; c++)
				sink_char(&script->out, (char)('A' + (first + n) % LETTERS));
			if (count == full)
				sink_char(&script->out, '+');
			any |= count != 0;
		}
		if (!any)
			sink_char(&script->out, '-');
	}
}
