/* SPDX-License-Identifier: MIT */
/*
 * Which events the metrics need, and where they come to be in the list of events. Groups are those
 * of named-groups.c.
 */
#include "named-plan-impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/metric.h>

#include "compat.h"
#include "escape.h"
#include "smi.h"
#include "vec.h"

/* A metric that was not asked for by its name, and cannot be counted. */
struct left_out {
	const char *name;
	char why[NAMED_REASON_LEN];
};

/* --- one metric --- */

static int add_need(const char *name, void *data)
{
	struct named_metric *metric = data;
	struct named_event *event;

	for (int i = 0; i < metric->nr_events; i++)
		if (!strcmp(metric->events[i].name, name))
			return 0;
	if (vec_add(&metric->events, (size_t)metric->nr_events, sizeof(*metric->events)))
		return -ENOMEM;
	event = &metric->events[metric->nr_events];
	*event = (struct named_event){ .name = strdup(name), .item = GROUPED };
	if (!event->name)
		return -ENOMEM;
	metric->nr_events++;
	return 0;
}

static void forget(struct named_metric *metric)
{
	for (int i = 0; i < metric->nr_events; i++)
		free(metric->events[i].name);
	free(metric->events);
	*metric = (struct named_metric){ 0 };
}

/* The kernel wants the event slots to lead its group. Source: Documentation/admin-guide/perf,
 * "topdown" of Intel. */
static void put_slots_first(struct named_metric *metric)
{
	for (int i = 1; i < metric->nr_events; i++)
		if (!strcmp(metric->events[i].name, "slots")) {
			struct named_event slots = metric->events[i];

			memmove(&metric->events[1], &metric->events[0],
				(size_t)i * sizeof(metric->events[0]));
			metric->events[0] = slots;
		}
}

/* "%  branch_miss_rate": the unit, then the name, as perf has them. */
static void set_unit(const struct stat_config *config, struct named_metric *metric)
{
	const char *unit = metric->def->unit;
	const char *title =
		config->smi_cost && !config->perf7 ? smi_title(metric->def->name) : NULL;

	if (title)
		snprintf(metric->unit, sizeof(metric->unit), "%s", title);
	else
		snprintf(metric->unit, sizeof(metric->unit), "%.120s%s%s", unit, *unit ? "  " : "",
			 metric->def->name);
}

/* The first of its events that cannot be counted. Returns NULL if there is none, or without memory,
 * with *ret_err set. */
static const struct metric_fact *obstacle(struct named_plan *plan,
					  const struct named_metric *metric, int *ret_err)
{
	*ret_err = 0;
	for (int i = 0; i < metric->nr_events; i++) {
		const struct metric_fact *fact =
			metric_fact_of(&plan->named->machine, metric->events[i].name);

		if (!fact)
			*ret_err = -ENOMEM;
		if (!fact || fact->err)
			return fact;
	}
	return NULL;
}

static int leave_out(struct named_plan *plan, const struct xp_metric_def *def, const char *why)
{
	struct left_out *left_out;

	if (vec_add(&plan->left_out, (size_t)plan->nr_left_out, sizeof(*left_out)))
		return -ENOMEM;
	left_out = &plan->left_out[plan->nr_left_out++];
	left_out->name = def->name;
	snprintf(left_out->why, sizeof(left_out->why), "%.199s", why);
	return 0;
}

/* Has one before it the same reason? */
static bool was_said(const struct named_plan *plan, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(plan->left_out[k].why, plan->left_out[i].why))
			return true;
	return false;
}

/* A line for each reason. */
static void say_left_out(const struct named_plan *plan)
{
	for (int i = 0; i < plan->nr_left_out; i++) {
		if (was_said(plan, i))
			continue;
		fprintf(stderr, "Left out: %s", plan->left_out[i].name);
		for (int k = i + 1; k < plan->nr_left_out; k++)
			if (!strcmp(plan->left_out[k].why, plan->left_out[i].why))
				fprintf(stderr, ", %s", plan->left_out[k].name);
		fputs(": ", stderr);
		escape_print(stderr, plan->left_out[i].why);
		fputc('\n', stderr);
	}
}

/* Whether the metric can be counted. Returns 1, 0 (it is left out), or a negative errno. */
static int is_possible(struct named_plan *plan, const struct metric_choice *choice,
		       struct named_metric *metric)
{
	const struct metric_fact *fact;
	int err = xp_metric_defs_check(plan->named->defs, choice->def, plan->diag)
			  ?: metric_needs(plan->named->defs, choice->def, &plan->named->machine,
					  add_need, metric);

	if (err == -ENOMEM || (err && choice->by_name))
		return err;
	if (err)
		return leave_out(plan, choice->def, plan->diag->what);
	if (!metric->nr_events && choice->by_name)
		return xp_diag_set(plan->diag, -EINVAL,
				   "The metric %s needs no event: there is nothing to count",
				   choice->def->name);
	fact = obstacle(plan, metric, &err);
	if (err || (!fact && metric->nr_events))
		return err ? err : 1;
	if (!choice->by_name)
		return leave_out(plan, choice->def, fact ? fact->reason : "it needs no event");
	/* Named events that this machine lacks are shown as such; what is no event at all is not.
	 */
	if (fact->is_event)
		return 1;
	return xp_diag_set(plan->diag, fact->err, "The metric %s needs '%s': %s", choice->def->name,
			   fact->name, fact->reason);
}

/* --- the list --- */

/* "{a,b}:W", or "a" */
static char *text_of(const struct named_item *item)
{
	size_t room = strlen("{}:W") + 1;
	char *text, *end;

	for (int i = 0; i < item->nr; i++)
		room += strlen(item->names[i]) + 1;
	text = end = malloc(room);
	if (!text)
		return NULL;
	end = stpcpy(end, item->nr > 1 ? "{" : "");
	for (int i = 0; i < item->nr; i++)
		end = stpcpy(stpcpy(end, i ? "," : ""), item->names[i]);
	stpcpy(end, item->nr > 1 ? "}:W" : "");
	return text;
}

static int append(struct named_plan *plan, struct named_item *item)
{
	int at = xp_evlist_nr(plan->evlist), err;
	char *text = text_of(item);

	if (!text)
		return -ENOMEM;
	err = xp_evlist_parse(plan->evlist, text, plan->diag);
	free(text);
	for (int i = 0; i < item->nr; i++) {
		item->at[i] = at;
		at += metric_fact_of(&plan->named->machine, item->names[i])->nr_events;
	}
	return err;
}

/* Where perf 7 shows the metric; else the first event that the metric itself names, not another one
 * in its formula. */
static const struct named_event *owner_of(const struct named_metric *metric, const char *wanted)
{
	for (int i = 0; wanted && i < metric->nr_events; i++)
		if (!strcmp(metric->events[i].name, wanted))
			return &metric->events[i];
	for (int i = 0; i < metric->nr_events; i++)
		if (xp_metric_def_has_event(metric->def, metric->events[i].name))
			return &metric->events[i];
	return &metric->events[0];
}

/* Metrics under one name are shown together. */
static void place_beside(struct named_plan *plan, int at)
{
	struct named_metric *metric = &plan->named->at[at];
	const struct named_metric *before = at > plan->first ? metric - 1 : NULL;
	const struct compat_metric *compat =
		plan->named->is_default ? compat_metric_find(metric->def->name) : NULL;

	const struct named_event *owner = owner_of(metric, compat ? compat->owner : NULL);

	metric->owner = owner->event;
	metric->nr_owners = metric_fact_of(&plan->named->machine, owner->name)->nr_events;
	metric->group = compat ? compat->group : NULL;
	if (metric->group && before && before->group && !strcmp(before->group, metric->group)) {
		metric->owner = before->owner;
		metric->nr_owners = before->nr_owners;
	}
}

/* Where the events of the metrics of the plan have come to be. */
static void find_places(struct named_plan *plan)
{
	for (int m = plan->first; m < plan->named->nr; m++) {
		struct named_metric *metric = &plan->named->at[m];

		for (int i = 0; i < metric->nr_events; i++) {
			const struct named_item *item = &plan->items[metric->events[i].item];

			metric->events[i].event =
				item->at[named_item_find(item, metric->events[i].name)];
		}
		place_beside(plan, m);
	}
}

static int plan_metric(struct named_plan *plan, const struct metric_choice *choice)
{
	struct named_metrics *named = plan->named;
	struct named_metric metric = { .def = choice->def };
	int possible = is_possible(plan, choice, &metric), err = 0;

	if (possible > 0) {
		put_slots_first(&metric);
		set_unit(plan->config, &metric);
		err = named_groups_put(plan, &metric);
		if (!err && vec_add(&named->at, (size_t)named->nr, sizeof(metric)))
			err = -ENOMEM;
	}
	if (possible <= 0 || err) {
		forget(&metric);
		return possible < 0 ? possible : err;
	}
	named->at[named->nr++] = metric;
	return 0;
}

/* Single events that need no counter of the PMU. */
static bool is_of_kernel(struct named_plan *plan, const struct named_item *item)
{
	return item->nr == 1 && metric_fact_of(&plan->named->machine, item->names[0])->always_fits;
}

static int append_groups(struct named_plan *plan, bool of_kernel_too)
{
	int err = 0;

	for (int i = 0; i < plan->nr_items && !err; i++)
		if (plan->items[i].nr && (of_kernel_too || !is_of_kernel(plan, &plan->items[i])))
			err = append(plan, &plan->items[i]);
	return err;
}

/* As perf 7 orders its default events: those of the kernel come first, by name. */
static int append_default(struct named_plan *plan)
{
	struct named_item *last = NULL, *next;
	int err = 0;

	do {
		next = NULL;
		for (int i = 0; i < plan->nr_items; i++) {
			struct named_item *item = &plan->items[i];

			if (item->nr && is_of_kernel(plan, item) &&
			    (!last || strcmp(item->names[0], last->names[0]) > 0) &&
			    (!next || strcmp(item->names[0], next->names[0]) < 0))
				next = item;
		}
		if (next)
			err = append(plan, next);
		last = next;
	} while (next && !err);
	return err ? err : append_groups(plan, false);
}

static int plan_all(struct named_plan *plan)
{
	const struct metric_choices *choices = &plan->named->choices;
	int err = 0;

	for (int i = 0; i < choices->nr && !err; i++)
		err = plan_metric(plan, &choices->at[i]);
	if (!err)
		err = plan->named->is_default ? append_default(plan) : append_groups(plan, true);
	if (err)
		return err;
	if (plan->named->nr == plan->first)
		return xp_diag_set(plan->diag, -EOPNOTSUPP,
				   "None of these metrics can be counted: %s",
				   plan->nr_left_out ? plan->left_out[0].why : "there are none");
	find_places(plan);
	return 0;
}

int named_metrics_plan(struct named_metrics *named, const struct stat_config *config,
		       struct xp_evlist *evlist, struct xp_diag *diag)
{
	struct named_plan plan = {
		.named = named, .config = config, .evlist = evlist, .diag = diag, .first = named->nr
	};
	bool is_first = !named->nr;
	int err = plan_all(&plan);

	free(plan.items);
	/* perf 7 hides default events without a word. */
	if (!err && is_first && !config->quiet && !named->is_default)
		say_left_out(&plan);
	free(plan.left_out);
	if (!err)
		*diag = (struct xp_diag){ 0 };
	if (err == -E2BIG)
		xp_diag_set(diag, err, "A metric needs more than %d events", ITEM_EVENTS_MAX);
	return err;
}
