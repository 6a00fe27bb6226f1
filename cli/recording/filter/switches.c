/* SPDX-License-Identifier: MIT */
/* "--switch-on", "--switch-off": events between which samples count. */
#include "switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>

#include "search.h"
#include "vec.h"

/* One of the two events; in the end only those that change something are left. */
struct change {
	uint64_t time_ns;
	uint64_t nr; /* as they came: of the same time, the first is first */
	int event;
	bool is_on;
};

static bool is_used(const struct switches *switches)
{
	return switches->on || switches->off;
}

static bool is_named(const struct switches *switches, int event, const char *name)
{
	const struct xp_data_event *its = xp_data_event_at(switches->data, event);

	return name && its && its->name && !strcmp(its->name, name);
}

int switches_check(struct switches *switches, const struct xp_data *data, struct xp_diag *diag)
{
	const char *const options[][2] = { { "switch-on", switches->on },
					   { "switch-off", switches->off } };
	int nr = xp_data_nr_events(data);

	switches->data = data;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		int event = 0;

		while (event < nr && !is_named(switches, event, options[i][1]))
			event++;
		if (!options[i][1] || event < nr)
			continue;
		xp_diag_set(diag, -EINVAL, "--%s: there is no event '%s'", options[i][0],
			    options[i][1]);
		xp_diag_hint(diag, "see '%s evlist'", program_invocation_short_name);
		return -EINVAL;
	}
	return 0;
}

int switches_note(struct switches *switches, int event, uint64_t time_ns)
{
	if (!is_used(switches))
		return 0;
	bool is_on = is_named(switches, event, switches->on);
	if (!is_on && !is_named(switches, event, switches->off))
		return 0;
	if (vec_add(&switches->changes, switches->nr, sizeof(*switches->changes)))
		return -ENOMEM;
	switches->changes[switches->nr] = (struct change){ time_ns, switches->nr, event, is_on };
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

void switches_finish(struct switches *switches)
{
	bool is_on = !switches->on;
	size_t kept = 0;

	if (switches->nr)
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

/* Samples before the first switch count unless something has to switch it on. Events of one reading
 * have one time, and are in the order of their group. */
bool switches_have(const struct switches *switches, int event, uint64_t time_ns)
{
	if (!is_used(switches))
		return true;
	const struct change key = { .time_ns = time_ns, .nr = UINT64_MAX };
	size_t nr = search_before(&key, switches->changes, switches->nr, sizeof(key), by_time);
	const struct change *last = nr ? &switches->changes[nr - 1] : NULL;

	while (last && last->time_ns == time_ns && last->event > event)
		last = last > switches->changes ? last - 1 : NULL;
	if (!last)
		return !switches->on;
	if (last->time_ns == time_ns &&
	    is_named(switches, event, last->is_on ? switches->on : switches->off))
		return switches->is_shown;
	return last->is_on;
}

void switches_fini(struct switches *switches)
{
	free(switches->changes);
	*switches = (struct switches){ 0 };
}
