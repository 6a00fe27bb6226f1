/* SPDX-License-Identifier: MIT */
/*
 * Which events of metrics are counted together. The hardware events of a metric are one group, so
 * that they are counted at the same time; metrics share a group as long as it is small. An event is
 * opened once, unless the group of a metric would become too large with it. What needs no hardware
 * counter is always counted, and in no group.
 */
#include "named-plan-impl.h"

#include <errno.h>
#include <string.h>

#include "vec.h"

/* Counters that nearly every processor has; a group that is larger than the processor's is opened
 * event by event. */
enum { SHARED_GROUP_MAX = 4 };

int named_item_find(const struct named_item *item, const char *name)
{
	for (int i = 0; i < item->nr; i++)
		if (!strcmp(item->names[i], name))
			return i;
	return -1;
}

/* Fixed counters of the top-down method need none of the others. */
static bool needs_counter(const char *name)
{
	return strcmp(name, "slots") != 0 && strncmp(name, "topdown-", strlen("topdown-")) != 0;
}

/* A group that metrics share has events of several of them. */
static bool shares_with(const struct named_item *item, const struct named_metric *metric)
{
	for (int i = 0; i < metric->nr_events && item->is_group; i++)
		if (metric->events[i].item == GROUPED &&
		    named_item_find(item, metric->events[i].name) >= 0)
			return true;
	return false;
}

static void add_name(struct named_item *item, const char *name)
{
	if (named_item_find(item, name) < 0 && item->nr < ITEM_EVENTS_MAX)
		item->names[item->nr++] = name;
}

/* What the group would be with the events of the metric, and with those of another group. */
static struct named_item joined(const struct named_plan *plan, const struct named_item *item,
				const struct named_item *other, const struct named_metric *metric)
{
	struct named_item all = *item;

	for (int i = 0; i < other->nr; i++)
		add_name(&all, other->names[i]);
	for (int i = 0; i < metric->nr_events; i++)
		if (metric->events[i].item == GROUPED)
			add_name(&all, metric_fact_of(&plan->named->machine, metric->events[i].name)
					       ->name);
	return all;
}

static bool is_small(const struct named_item *item)
{
	int nr = 0;

	for (int i = 0; i < item->nr; i++)
		nr += needs_counter(item->names[i]);
	return nr <= SHARED_GROUP_MAX && item->nr < ITEM_EVENTS_MAX;
}

/* Makes one group of two. */
static void merge(struct named_plan *plan, int into, int from, const struct named_metric *metric)
{
	plan->items[into] = joined(plan, &plan->items[into], &plan->items[from], metric);
	plan->items[from].nr = 0;
	for (int m = 0; m < plan->named->nr; m++)
		for (int i = 0; i < plan->named->at[m].nr_events; i++)
			if (m >= plan->first && plan->named->at[m].events[i].item == from)
				plan->named->at[m].events[i].item = into;
}

/* The group that gets the events of a metric: one that has all, or some, and stays small; groups
 * that have some are joined. Returns -1: there is none. */
static int find_group(struct named_plan *plan, const struct named_metric *metric)
{
	int found = -1;

	for (int i = 0; i < plan->nr_items && !plan->config->metric_no_merge; i++) {
		const struct named_item *item = &plan->items[i];
		struct named_item all;

		if (!shares_with(item, metric))
			continue;
		all = joined(plan, item, found < 0 ? item : &plan->items[found], metric);
		if (all.nr == item->nr)
			return i;
		if (!is_small(&all))
			continue;
		if (found < 0)
			found = i;
		else
			merge(plan, found, i, metric);
	}
	return found;
}

static int new_item(struct named_plan *plan, bool is_group)
{
	if (vec_add(&plan->items, (size_t)plan->nr_items, sizeof(*plan->items)))
		return -ENOMEM;
	plan->items[plan->nr_items] = (struct named_item){ .is_group = is_group };
	return plan->nr_items++;
}

static int put(struct named_plan *plan, struct named_event *event, int item)
{
	struct named_item *to = &plan->items[item];

	if (named_item_find(to, event->name) < 0) {
		if (to->nr == ITEM_EVENTS_MAX)
			return -E2BIG;
		to->names[to->nr++] = metric_fact_of(&plan->named->machine, event->name)->name;
	}
	event->item = item;
	return 0;
}

/* An event for itself, once for all metrics. */
static int put_alone(struct named_plan *plan, struct named_event *event)
{
	int item = -1;

	for (int i = 0; i < plan->nr_items && item < 0; i++)
		if (!plan->items[i].is_group && named_item_find(&plan->items[i], event->name) >= 0)
			item = i;
	if (item < 0)
		item = new_item(plan, false);
	return item < 0 ? item : put(plan, event, item);
}

static bool is_grouped(const struct named_plan *plan, const struct named_event *event)
{
	const struct metric_fact *fact = metric_fact_of(&plan->named->machine, event->name);

	return !plan->config->metric_no_group && !fact->always_fits && fact->nr_sources <= 1;
}

/* The group of the metric's hardware events. */
static int put_in_group(struct named_plan *plan, struct named_metric *metric)
{
	int item = -1, err = 0;

	for (int i = 0; i < metric->nr_events && !err; i++) {
		if (metric->events[i].item != GROUPED)
			continue;
		if (item < 0)
			item = find_group(plan, metric);
		if (item < 0)
			item = new_item(plan, true);
		err = item < 0 ? item : put(plan, &metric->events[i], item);
	}
	return err;
}

int named_groups_put(struct named_plan *plan, struct named_metric *metric)
{
	int err;

	/* Those in the group come first: their places are in front of those of the others. */
	for (int i = 0; i < metric->nr_events; i++)
		metric->events[i].item = is_grouped(plan, &metric->events[i]) ? GROUPED : ALONE;
	err = put_in_group(plan, metric);
	for (int i = 0; i < metric->nr_events && !err; i++)
		if (metric->events[i].item == ALONE)
			err = put_alone(plan, &metric->events[i]);
	return err;
}
