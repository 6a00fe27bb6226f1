/* SPDX-License-Identifier: MIT */
/* `xperf list metric`: what stat derives from counts, and whether this machine counts them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/stat.h>

#include "list.h"

/* More different events than all metrics need. */
enum { EVENTS_MAX = 64 };

/* One event that is needed: what is known of it. */
struct need {
	char name[64];
	enum xp_event_state state;
	char reason[160];
};

struct needs {
	struct need at[EVENTS_MAX];
	int nr;
};

static struct need *find(struct needs *needs, const char *name, size_t len)
{
	for (int i = 0; i < needs->nr; i++)
		if (strlen(needs->at[i].name) == len && !memcmp(needs->at[i].name, name, len))
			return &needs->at[i];
	return NULL;
}

static int gather(const struct xp_metric_info *metric, void *data)
{
	struct needs *needs = data;
	size_t len;

	for (const char *name = metric->events; *name; name += len + (name[len] == ',')) {
		struct need *need = &needs->at[needs->nr];

		len = strcspn(name, ",");
		if (find(needs, name, len))
			continue;
		if (needs->nr == EVENTS_MAX || len >= sizeof(need->name))
			return -E2BIG;
		*need = (struct need){ .state = XP_EVENT_ABSENT,
				       .reason = "this machine has no such event" };
		memcpy(need->name, name, len);
		needs->nr++;
	}
	return 0;
}

/* "topdown-retiring" of "cpu/topdown-retiring/". */
static struct need *find_term(struct needs *needs, const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? find(needs, slash + 1, strcspn(slash + 1, "/")) : NULL;
}

static int learn(const struct xp_event_info *event, void *data)
{
	struct needs *needs = data;
	struct need *need = find(needs, event->name, strlen(event->name));

	if (!need)
		need = find(needs, event->alias, strlen(event->alias));
	if (!need)
		need = find_term(needs, event->name);
	if (need && event->state <= need->state) {
		need->state = event->state;
		snprintf(need->reason, sizeof(need->reason), "%s", event->reason);
	}
	return 0;
}

struct shown {
	struct needs *needs;
	const struct list_format *format;
	struct list_output *out;
};

/* A metric is as its worst event. */
static int show(const struct xp_metric_info *metric, void *data)
{
	struct shown *shown = data;
	const struct need *worst = NULL;
	size_t len;

	for (const char *name = metric->events; *name; name += len + (name[len] == ',')) {
		len = strcspn(name, ",");
		const struct need *need = find(shown->needs, name, len);

		if (!worst || need->state > worst->state)
			worst = need;
	}
	shown->format->metric(shown->out, metric, worst->state, worst->reason);
	shown->out->nr++;
	return 0;
}

int metrics_list(struct xp_ctx *ctx, const struct list_format *format, struct list_output *out)
{
	struct needs needs = { .nr = 0 };
	struct shown shown = { &needs, format, out };
	struct xp_list_opts opts = { .size = sizeof(opts),
				     .kinds = 1U << XP_EVENT_HARDWARE | 1U << XP_EVENT_SOFTWARE |
					      1U << XP_EVENT_CACHE | 1U << XP_EVENT_PMU };
	int err =
		xp_metrics_list(gather, &needs) ?: xp_events_list(ctx, &opts, learn, &needs, NULL);

	return err ? err : xp_metrics_list(show, &shown);
}
