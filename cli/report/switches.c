/* SPDX-License-Identifier: MIT */
/* "--switch-on", "--switch-off": events between which samples count. Source: perf-report(1). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* One of the two events; what is kept of them in the end is what changes something. */
struct change {
	uint64_t time_ns;
	uint64_t nr; /* as they came: of the same time, the first is first */
	bool is_on;
};

struct switches {
	int on, off; /* events; -1: none */
	bool is_shown;
	struct change *changes;
	size_t nr, room;
};

/* Returns -1: none is meant, -2: there is none, as @rec's diag says. */
static int find_event(struct recording *rec, const char *option, const char *name)
{
	if (!name)
		return -1;
	for (int i = 0; i < rec->nr_events; i++) {
		const char *its = xp_data_event_at(rec->input.data, i)->name;

		if (its && !strcmp(its, name))
			return i;
	}
	xp_diag_set(&rec->input.diag, -EINVAL, "--%s: there is no event '%s'", option, name);
	xp_diag_hint(&rec->input.diag, "see '%s evlist'", program_invocation_short_name);
	return -2;
}

int switches_new(struct recording *rec, const struct values *values, struct switches **ret_switches)
{
	if (!values->switch_on && !values->switch_off)
		return 0;
	int on = find_event(rec, "switch-on", values->switch_on);
	int off = find_event(rec, "switch-off", values->switch_off);
	if (on < -1 || off < -1)
		return -EINVAL;
	struct switches *switches = calloc(1, sizeof(*switches));
	if (!switches)
		return -ENOMEM;
	switches->on = on;
	switches->off = off;
	switches->is_shown = values->show_on_off;
	*ret_switches = switches;
	return 0;
}

int switches_note(struct switches *switches, int event, uint64_t time_ns)
{
	if (!switches || (event != switches->on && event != switches->off))
		return 0;
	if (switches->nr == switches->room) {
		size_t room = switches->room ? switches->room * 2 : 64;
		struct change *more = reallocarray(switches->changes, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		switches->changes = more;
		switches->room = room;
	}
	switches->changes[switches->nr] =
		(struct change){ time_ns, switches->nr, event == switches->on };
	switches->nr++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct change *l = a, *r = b;

	if (l->time_ns != r->time_ns)
		return l->time_ns < r->time_ns ? -1 : 1;
	return (l->nr > r->nr) - (l->nr < r->nr);
}

void switches_settle(struct switches *switches)
{
	size_t kept = 0;

	if (!switches || !switches->nr)
		return;
	bool is_on = switches->on < 0;
	qsort(switches->changes, switches->nr, sizeof(*switches->changes), by_time);
	for (size_t i = 0; i < switches->nr; i++) {
		struct change change = switches->changes[i];

		if (change.is_on == is_on)
			continue;
		is_on = change.is_on;
		switches->changes[kept++] = change;
	}
	switches->nr = kept;
}

/* What was before the first counts unless something has to switch it on. */
bool switches_have(const struct switches *switches, int event, uint64_t time_ns)
{
	if (!switches)
		return true;
	const struct change key = { .time_ns = time_ns, .nr = UINT64_MAX };
	size_t low = 0, high = switches->nr;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_time(&switches->changes[mid], &key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	const struct change *last = low ? &switches->changes[low - 1] : NULL;
	if (!last)
		return switches->on < 0;
	if (last->time_ns == time_ns && event == (last->is_on ? switches->on : switches->off))
		return switches->is_shown;
	return last->is_on;
}

void switches_free(struct switches *switches)
{
	if (switches)
		free(switches->changes);
	free(switches);
}
