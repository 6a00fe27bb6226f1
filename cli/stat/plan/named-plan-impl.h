/* SPDX-License-Identifier: MIT */
/* The events of metrics while they are planned. */
#ifndef CLI_STAT_NAMED_PLAN_IMPL_H
#define CLI_STAT_NAMED_PLAN_IMPL_H

#include "named.h"

enum { ITEM_EVENTS_MAX = 32 };

/* In place of an item, before there is one. */
enum { GROUPED = -1, ALONE = -2 };

/* Events that become one group, or a single event. */
struct named_item {
	const char *names[ITEM_EVENTS_MAX]; /* of facts */
	int at[ITEM_EVENTS_MAX];            /* positions in the list */
	int nr;
	bool is_group;
};

struct left_out;

struct named_plan {
	struct named_metrics *named;
	const struct stat_config *config;
	struct xp_evlist *evlist;
	struct xp_diag *diag;
	struct named_item *items;
	int nr_items;
	int first; /* metric of this plan; those before have other events */
	struct left_out *left_out;
	int nr_left_out;
};

/* Position of a name in an item; -1: it is not there. */
int named_item_find(const struct named_item *item, const char *name);

/* Decides which items the events of a metric belong to. Returns 0, -ENOMEM, or -E2BIG. */
int named_groups_put(struct named_plan *plan, struct named_metric *metric);

#endif
