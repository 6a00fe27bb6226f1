/* SPDX-License-Identifier: MIT */
/*
 * Names of types that servers take: see types.h.
 *
 * Source: Prometheus, "Data model": [a-zA-Z_][a-zA-Z0-9_]*; Pyroscope 1.16 and Parca 0.25 refuse
 * types with other characters, measured.
 */
#include "types.h"

#include <stdio.h>
#include <string.h>

#include "tree.h"

static bool is_clock(const struct tree_event *event)
{
	return !event->is_off_cpu && !strcmp(event->unit, "nanoseconds") &&
	       (!strncmp(event->name, "cpu-clock", 9) || !strncmp(event->name, "task-clock", 10));
}

static void make_identifier(const char *name, size_t len, char *to)
{
	size_t at = 0;

	if (!len || (name[0] >= '0' && name[0] <= '9'))
		to[at++] = '_';
	for (size_t i = 0; i < len && at < TYPE_NAME_MAX - 1; i++) {
		char c = name[i];
		bool fits =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		to[at++] = fits ? c : '_';
	}
	to[at] = '\0';
}

static void short_name(const struct tree_event *event, char *to)
{
	const char *name = event->name, *colon = strchr(name, ':');

	if (is_clock(event))
		make_identifier("cpu", 3, to);
	else if (event->is_tracepoint && colon)
		make_identifier(colon + 1, strlen(colon + 1), to);
	else
		make_identifier(name, colon ? (size_t)(colon - name) : strlen(name), to);
}

void xp_type_name(const struct xp_tree *tree, uint32_t event, char ret_name[TYPE_NAME_MAX])
{
	char other[TYPE_NAME_MAX];

	short_name(&tree->events[event], ret_name);
	for (uint32_t i = 0; i < event; i++) {
		short_name(&tree->events[i], other);
		if (!strcmp(other, ret_name)) {
			const char *name = tree->events[event].name;

			make_identifier(name, strlen(name), ret_name);
			return;
		}
	}
}

uint64_t xp_type_period(const struct tree_event *event)
{
	uint64_t mean = event->samples ? event->period / event->samples : 0;
	uint64_t period = event->sample_period ? event->sample_period : mean;

	return period ? period : 1;
}

bool xp_type_is_counted(const struct xp_tree *tree, uint32_t event)
{
	uint64_t period = tree->events[event].sample_period;

	for (uint32_t i = 0; i < tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(tree, i);

		if (stack->event == event &&
		    (!period || stack->period % period || stack->period / period != stack->samples))
			return false;
	}
	return period;
}

const char *xp_service_name(const struct xp_tree *tree, char room[TYPE_NAME_MAX])
{
	const char *title = tree->info.title, *comm = NULL;
	size_t len = strcspn(title, " ");
	bool is_one = true;

	for (uint32_t i = 0; i < tree->tasks.nr; i++) {
		const char *other = tree_task(tree, i)->comm;

		if (*other && comm && strcmp(comm, other) != 0)
			is_one = false;
		comm = *other ? other : comm;
	}
	if (comm && is_one)
		return comm;
	for (const char *slash; (slash = memchr(title, '/', len)); title = slash + 1)
		len -= (size_t)(slash + 1 - title);
	if (len)
		snprintf(room, TYPE_NAME_MAX, "%.*s", (int)(len < 100 ? len : 100), title);
	return len ? room : comm ? comm : "unknown";
}
