/* SPDX-License-Identifier: MIT */
/*
 * Which events a word of the command line asks for: a kind, a shell pattern, or a part of a name.
 * Source: perf-list(1), perf 6.1; "sw" includes the tool events: measured, perf 6.1.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "list.h"

#define BIT(kind) (1U << XP_EVENT_##kind)

/* What people look for; how raw codes and breakpoints are written is shown with everything only. */
#define NAMED                                                                                      \
	(BIT(HARDWARE) | BIT(SOFTWARE) | BIT(TOOL) | BIT(CACHE) | BIT(PMU) | BIT(TRACEPOINT) |     \
	 BIT(VENDOR))

static const struct {
	const char *word;
	unsigned int kinds;
} words[] = {
	{ "", 0 },
	{ "hw", BIT(HARDWARE) },
	{ "hardware", BIT(HARDWARE) },
	{ "sw", BIT(SOFTWARE) | BIT(TOOL) },
	{ "software", BIT(SOFTWARE) | BIT(TOOL) },
	{ "tool", BIT(TOOL) },
	{ "cache", BIT(CACHE) },
	{ "hwcache", BIT(CACHE) },
	{ "tracepoint", BIT(TRACEPOINT) },
	{ "pmu", BIT(PMU) },
	{ "vendor", BIT(VENDOR) },
	{ "pfm", BIT(VENDOR) },
};

void selection_make(const char *word, struct selection *ret)
{
	*ret = (struct selection){ .kinds = NAMED };
	ret->metrics = !strcmp(word, "metric") || !strcmp(word, "metrics");
	ret->metric_groups = !strcmp(word, "metricgroup") || !strcmp(word, "metricgroups");
	if (ret->metrics || ret->metric_groups)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i].word)) {
			ret->kinds = words[i].kinds;
			return;
		}
	bool is_pattern = strpbrk(word, "*?[");
	bool is_whole = strchr(word, ':') && !strchr(word, '/');
	const char *around = is_pattern || is_whole ? "" : "*";
	size_t len = strlen(word);
	if (strstr(word, "::"))
		ret->kinds = BIT(VENDOR);
	if (len && word[len - 1] == ':')
		snprintf(ret->pattern, sizeof(ret->pattern), "%s*", word);
	else
		snprintf(ret->pattern, sizeof(ret->pattern), "%s%s%s", around, word, around);
}

static bool matches(const struct selection *selection, const char *name)
{
	return *name && !fnmatch(selection->pattern, name, FNM_CASEFOLD | FNM_NOESCAPE);
}

bool selection_has(const struct selection *selection, const struct xp_event_info *event)
{
	return !*selection->pattern || matches(selection, event->name) ||
	       matches(selection, event->alias);
}

/* The pattern is all of the name, or all but its number. */
static bool matches_unit(const char *unit, const char *pmu)
{
	const char *last = strrchr(pmu, '_');
	bool has_number = last && last[1] && !last[1 + strspn(last + 1, "0123456789")];
	char base[256];

	if (!fnmatch(unit, pmu, FNM_CASEFOLD | FNM_NOESCAPE))
		return true;
	snprintf(base, sizeof(base), "%.*s", has_number ? (int)(last - pmu) : 0, pmu);
	return has_number && !fnmatch(unit, base, FNM_CASEFOLD | FNM_NOESCAPE);
}

bool selection_is_unit(const char *unit, const char *pmu)
{
	static const char prefix[] = "uncore_";
	size_t len = strlen(prefix);

	return matches_unit(unit, pmu) ||
	       (!strncmp(pmu, prefix, len) && matches_unit(unit, pmu + len));
}
