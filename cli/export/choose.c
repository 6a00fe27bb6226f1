/* SPDX-License-Identifier: MIT */
/* What the user has chosen, by its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/export.h>
#include <xperf/record.h>
#include <xperf/sample.h>
#include <xperf/suggest.h>

#include "escape.h"
#include "export.h"

void print_unknown(const char *what, const struct xp_suggest *suggest)
{
	fprintf(stderr, "Error: %s '%.*s'", what, (int)suggest->len, suggest->word);
	if (suggest->best)
		fprintf(stderr, ", did you mean '%s'?", escaped(suggest->best));
	fputc('\n', stderr);
}

const struct xp_export_format *format_find(const char *name)
{
	struct xp_suggest suggest = { .word = name, .len = strlen(name) };
	const struct xp_export_format *format;

	for (size_t i = 0; (format = xp_export_format_at(i)) != NULL; i++) {
		if (!strcmp(format->name, name))
			return format;
		xp_suggest_offer(&suggest, format->name);
	}
	print_unknown("there is no format", &suggest);
	fputs("Hint: 'xperf export --list' lists the formats\n", stderr);
	return NULL;
}

static const char *const by_names[XP_NR_BY] = {
	[XP_BY_EVENT] = "event", [XP_BY_CGROUP] = "cgroup",   [XP_BY_CPU] = "cpu",
	[XP_BY_COMM] = "comm",   [XP_BY_PROCESS] = "process", [XP_BY_THREAD] = "thread",
};

static int by_find(const char *name, size_t len)
{
	struct xp_suggest suggest = { .word = name, .len = len };

	for (int i = 1; i < XP_NR_BY; i++) {
		if (strlen(by_names[i]) == len && !strncmp(by_names[i], name, len))
			return i;
		xp_suggest_offer(&suggest, by_names[i]);
	}
	print_unknown("--by: there is no", &suggest);
	fputs("Hint: there are event, cgroup, cpu, comm, process and thread\n", stderr);
	return -1;
}

static int parse_by(struct write_opts *what, unsigned int *ret_bits)
{
	const char *at = what->by ? what->by : "comm";
	unsigned int bits = 0;
	size_t nr = 0;

	while (at && *at) {
		size_t len = strcspn(at, ",");
		int by = by_find(at, len);

		if (by < 0)
			return -1;
		if (!(bits >> by & 1))
			what->opts.by[nr++] = (uint8_t)by;
		bits |= 1U << by;
		at += len + (at[len] == ',');
	}
	*ret_bits |= bits;
	return 0;
}

static int parse_weight(struct write_opts *what)
{
	what->opts.samples = what->weight && !strcmp(what->weight, "samples");
	if (!what->weight || what->opts.samples || !strcmp(what->weight, "period"))
		return 0;
	fprintf(stderr, "Error: --weight: '%s' is neither period nor samples\n", what->weight);
	return -1;
}

static int parse_widths(struct write_opts *what)
{
	enum { LEAST_PIXELS = 100, MOST_PIXELS = 100000 };
	char *end = NULL;
	double pixels = what->min_width ? strtod(what->min_width, &end) : 0;

	if (what->width && (what->width < LEAST_PIXELS || what->width > MOST_PIXELS)) {
		fprintf(stderr, "Error: --width: %d is not between %d and %d pixels\n", what->width,
			LEAST_PIXELS, MOST_PIXELS);
		return -1;
	}
	if (end && (end == what->min_width || *end || !(pixels >= 0 && pixels <= MOST_PIXELS))) {
		fprintf(stderr, "Error: --minwidth: '%s' is no number of pixels\n",
			escaped(what->min_width));
		return -1;
	}
	what->opts.width = (uint32_t)what->width;
	what->opts.min_width = end ? (uint32_t)(pixels * 1000) ?: 1 : 0;
	return 0;
}

int write_parse(struct write_opts *what, struct collect_opts *from)
{
	unsigned int has = what->format->has;

	if (from->read.jobs < 0) {
		fprintf(stderr, "Error: --jobs: %d is negative\n", from->read.jobs);
		return -1;
	}
	if (parse_widths(what))
		return -1;
	what->opts.no_lines = from->no_inlines;
	from->lines = has & XP_EXPORT_LINES;
	from->addresses = has & XP_EXPORT_ADDRESSES;
	if (has & XP_EXPORT_TASKS)
		from->by |= 1U << XP_BY_THREAD;
	if (has & XP_EXPORT_TIMES)
		from->by |= 1U << XP_BY_TIME;
	from->notes = has & XP_EXPORT_NOTES;
	from->code = has & XP_EXPORT_CODE && !what->no_code;
	if (what->by && !(has & (XP_EXPORT_ROOTS | XP_EXPORT_LABELS)))
		fprintf(stderr, "Note: --by has no effect on the format %s\n", what->format->name);
	return parse_by(what, &from->by) ?: parse_weight(what);
}

bool event_is_named(const char *event, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(event, name, len) && (!event[len] || event[len] == ':');
}

int event_of_name(const struct xp_tree *tree, const char *name)
{
	struct xp_tree_event event = { .size = sizeof(event) };
	struct xp_suggest suggest = { .word = name, .len = strlen(name) };

	for (int i = 0; !xp_tree_event_at(tree, i, &event); i++) {
		if (event_is_named(event.name, name))
			return i;
		xp_suggest_offer(&suggest, event.name);
	}
	print_unknown("--event: the recording has no event", &suggest);
	return -1;
}

/* Says if weights of all events can be added: there is one, or they are time on CPUs and time off
 * CPUs. */
static bool are_one_weight(const struct xp_tree *tree)
{
	struct xp_tree_event event = { .size = sizeof(event) };
	int nr = 0, nr_times = 0, nr_waits = 0;

	for (int i = 0; !xp_tree_event_at(tree, i, &event); i++) {
		nr += event.samples != 0;
		nr_times += event.samples && !strcmp(event.unit, "nanoseconds");
		nr_waits += event.samples && event.is_off_cpu;
	}
	return nr < 2 || (nr == 2 && nr_times == 2 && nr_waits == 1);
}

/* Chooses the event that was recorded first, for formats that have one weight, if there are several
 * that cannot be added. The others are named. */
static int choose_first(const struct xp_tree *tree)
{
	struct xp_tree_event event = { .size = sizeof(event) }, first = { .size = sizeof(first) };
	int chosen = -1;

	if (are_one_weight(tree))
		return -1;

	for (int i = 0; chosen < 0 && !xp_tree_event_at(tree, i, &event); i++)
		if (event.samples) {
			chosen = i;
			first = event;
		}
	fprintf(stderr,
		"Note: this is event '%s'; others of the recording, by --event:", first.name);
	for (int i = 0; !xp_tree_event_at(tree, i, &event); i++)
		if (event.samples && i != chosen)
			fprintf(stderr, " '%s'", escaped(event.name));
	fputc('\n', stderr);
	return chosen;
}

/* Events beside each other, where each line can have its own. */
static void distinguish(struct write_opts *what, const struct xp_tree *tree)
{
	uint8_t *by = what->opts.by;

	if (are_one_weight(tree) || memchr(by, XP_BY_EVENT, sizeof(what->opts.by)))
		return;
	memmove(by + 1, by, sizeof(what->opts.by) - 1);
	by[0] = XP_BY_EVENT;
}

/* Nothing to see is easily taken for nothing recorded. */
static void report_empty(const struct xp_tree *tree)
{
	struct xp_tree_event event = { .size = sizeof(event) };

	for (int i = 0; !xp_tree_event_at(tree, i, &event); i++)
		if (event.samples)
			return;
	fputs("Note: the recording has no samples, or none that matches the filters\n", stderr);
}

int event_choose(struct write_opts *what, const struct xp_tree *tree)
{
	what->opts.event = -1;
	report_empty(tree);
	if (what->event) {
		what->opts.event = event_of_name(tree, what->event);
		return what->opts.event < 0 ? -1 : 0;
	}
	if (!(what->format->has & XP_EXPORT_EVENTS))
		what->opts.event = choose_first(tree);
	else if (what->format->has & XP_EXPORT_ROOTS)
		distinguish(what, tree);
	return 0;
}
