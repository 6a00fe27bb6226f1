/* SPDX-License-Identifier: MIT */
/* The standard events of `stat`. Source: perf-stat(1), "-d", and the output of perf 6.1. */
#include "list-impl.h"

#include <errno.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "cleanup.h"
#include "str.h"

enum condition {
	ALWAYS,
	OF_TASKS,     /* when tasks are counted, not CPUs */
	SYSTEM_WIDE,  /* the other way round */
	IF_PMU_LISTS, /* when the core PMU has it in its events/ */
};

static const struct {
	const char *name;
	enum xp_default_set from; /* the smallest set it is in */
	enum condition condition;
} events[] = {
	{ "task-clock", XP_DEFAULT_BASIC, OF_TASKS },
	{ "cpu-clock", XP_DEFAULT_BASIC, SYSTEM_WIDE },
	{ "context-switches", XP_DEFAULT_BASIC, ALWAYS },
	{ "cpu-migrations", XP_DEFAULT_BASIC, ALWAYS },
	{ "page-faults", XP_DEFAULT_BASIC, ALWAYS },
	{ "cycles", XP_DEFAULT_BASIC, ALWAYS },
	{ "stalled-cycles-frontend", XP_DEFAULT_BASIC, IF_PMU_LISTS },
	{ "stalled-cycles-backend", XP_DEFAULT_BASIC, IF_PMU_LISTS },
	{ "instructions", XP_DEFAULT_BASIC, ALWAYS },
	{ "branches", XP_DEFAULT_BASIC, ALWAYS },
	{ "branch-misses", XP_DEFAULT_BASIC, ALWAYS },

	{ "L1-dcache-loads", XP_DEFAULT_DETAILED, ALWAYS },
	{ "L1-dcache-load-misses", XP_DEFAULT_DETAILED, ALWAYS },
	{ "LLC-loads", XP_DEFAULT_DETAILED, ALWAYS },
	{ "LLC-load-misses", XP_DEFAULT_DETAILED, ALWAYS },

	{ "L1-icache-loads", XP_DEFAULT_DETAILED_2, ALWAYS },
	{ "L1-icache-load-misses", XP_DEFAULT_DETAILED_2, ALWAYS },
	{ "dTLB-loads", XP_DEFAULT_DETAILED_2, ALWAYS },
	{ "dTLB-load-misses", XP_DEFAULT_DETAILED_2, ALWAYS },
	{ "iTLB-loads", XP_DEFAULT_DETAILED_2, ALWAYS },
	{ "iTLB-load-misses", XP_DEFAULT_DETAILED_2, ALWAYS },

	{ "L1-dcache-prefetches", XP_DEFAULT_DETAILED_3, ALWAYS },
	{ "L1-dcache-prefetch-misses", XP_DEFAULT_DETAILED_3, ALWAYS },
};

static bool holds(struct xp_ctx *ctx, enum condition condition, const char *name, bool system_wide)
{
	switch (condition) {
	case ALWAYS:
		return true;
	case OF_TASKS:
		return !system_wide;
	case SYSTEM_WIDE:
		return system_wide;
	case IF_PMU_LISTS:
		return xp_file_exists(ctx, "/sys/bus/event_source/devices/cpu/events/%s", name);
	}
	return false;
}

/* Appends what the sets @first to @last have more than those before. */
static int add_sets(struct xp_evlist *evlist, enum xp_default_set first, enum xp_default_set last,
		    bool system_wide)
{
	unsigned int since = evlist->ctx->nr_shortages;
	struct xp_str text = { 0 };

	for (size_t i = 0; i < XP_ARRAY_LEN(events); i++)
		if (events[i].from >= first && events[i].from <= last &&
		    holds(evlist->ctx, events[i].condition, events[i].name, system_wide))
			xp_str_addf(&text, "%s%s", text.len ? "," : "", events[i].name);
	xp_auto_free char *string = xp_str_detach(&text);
	int err = xp_ctx_shortage(evlist->ctx, since);
	if (err)
		return err;
	return string ? xp_evlist_parse(evlist, string, NULL) : -ENOMEM;
}

int xp_evlist_add_default(struct xp_evlist *evlist, enum xp_default_set set, bool system_wide)
{
	if ((unsigned int)set > XP_DEFAULT_DETAILED_3)
		return -EINVAL;
	return add_sets(evlist, XP_DEFAULT_BASIC, set, system_wide);
}

int xp_evlist_add_detailed(struct xp_evlist *evlist, enum xp_default_set set)
{
	if ((unsigned int)set > XP_DEFAULT_DETAILED_3)
		return -EINVAL;
	if (set < XP_DEFAULT_DETAILED)
		return 0;
	return add_sets(evlist, XP_DEFAULT_DETAILED, set, false);
}
