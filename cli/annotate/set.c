/* SPDX-License-Identifier: MIT */
/* Which events are shown side by side, and in which order their functions come. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "annotate.h"

/* It has no samples that could show anything. */
static bool is_dummy(const struct recording *rec, int event)
{
	const struct xp_attr *attr = &xp_data_event_at(rec->data, event)->attr;

	return attr->type == XP_TYPE_SOFTWARE && attr->config == XP_SW_DUMMY;
}

/* The event whose set an event is in. */
static int leader_of(const struct recording *rec, const struct values *values, int event)
{
	int first = 0;

	if (values->no_group)
		return event;
	if (!values->group)
		return xp_data_event_at(rec->data, event)->leader;
	while (first < event && is_dummy(rec, first))
		first++;
	return first;
}

static struct event_set *set_of(const struct recording *rec, const struct values *values,
				struct event_set *sets, size_t nr, int event)
{
	for (size_t i = 0; i < nr; i++)
		if (leader_of(rec, values, sets[i].events[0]) == leader_of(rec, values, event))
			return &sets[i];
	return &sets[nr];
}

int event_sets_make(const struct recording *rec, const struct values *values,
		    struct event_set **ret_sets, size_t *ret_nr)
{
	size_t most = (size_t)rec->nr_events + 1, nr = 0;
	struct event_set *sets = calloc(most, sizeof(*sets));

	if (!sets)
		return -ENOMEM;
	for (int event = 0; event < rec->nr_events; event++) {
		if (is_dummy(rec, event))
			continue;
		struct event_set *set = set_of(rec, values, sets, nr, event);

		nr += set == &sets[nr];
		if (!set->events)
			set->events = calloc(most, sizeof(*set->events));
		if (!set->events) {
			event_sets_free(sets, nr);
			return -ENOMEM;
		}
		set->events[set->nr++] = event;
	}
	*ret_sets = sets;
	*ret_nr = nr;
	return 0;
}

void event_sets_free(struct event_set *sets, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(sets[i].events);
	free(sets);
}

/* --- functions --- */

static int compare_functions(const void *a, const void *b, void *data)
{
	const struct hot_function *x = *(const struct hot_function *const *)a;
	const struct hot_function *y = *(const struct hot_function *const *)b;
	const struct event_set *set = data;

	for (int i = 0; i < set->nr; i++) {
		uint64_t mine = x->sums[set->events[i]].period;
		uint64_t its = y->sums[set->events[i]].period;

		if (mine != its)
			return mine > its ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

static bool has_samples(const struct event_set *set, const struct hot_function *function)
{
	for (int i = 0; i < set->nr; i++)
		if (function->sums[set->events[i]].samples)
			return true;
	return false;
}

size_t event_set_functions(const struct event_set *set, const struct heat *heat,
			   const struct hot_function **ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < heat->nr_functions; i++)
		if (has_samples(set, &heat->functions[i]))
			ret[nr++] = &heat->functions[i];
	if (nr)
		qsort_r(ret, nr, sizeof(const struct hot_function *), compare_functions,
			(void *)(uintptr_t)set);
	return nr;
}
