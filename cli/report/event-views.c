/* SPDX-License-Identifier: MIT */
/* Views of what happened between events of the kernel, instead of rows of a profile. */
#include "event-views.h"

#include <stddef.h>

#include "options.h"
#include "sched.h"
#include "syscalls.h"

static int show_syscalls(const struct cli *cli, const struct values *values)
{
	const struct syscalls_opts opts = {
		.is_total = values->show.all_threads,
		.json = values->show.json,
		.quiet = values->show.quiet,
		.verbose = values->show.verbose,
	};

	return syscalls_report(cli, &values->read, &opts);
}

static int show_sched(const struct cli *cli, const struct values *values)
{
	const struct sched_opts opts = {
		.json = values->show.json,
		.quiet = values->show.quiet,
		.verbose = values->show.verbose,
	};

	/* A task has no place. */
	if (values->read.with_symbols)
		return options_misused(&report_command, "--sched and %s exclude each other",
				       values->read.filter.dsos ? "-d" : "-S");
	return sched_report(cli, &values->read, &opts);
}

static const struct view {
	const char *option;
	size_t wanted; /* in struct values: whether it is */
	int (*show)(const struct cli *cli, const struct values *values);
} views[] = {
	{ "--syscalls", offsetof(struct values, show.syscalls), show_syscalls },
	{ "--sched", offsetof(struct values, show.sched), show_sched },
};

/* An option for rows of a profile, or for another view; NULL: none was given. */
static const char *not_for_views(const struct values *values)
{
	const struct count_opts *count = &values->count;
	const struct show_opts *show = &values->show;
	const struct {
		bool is_given;
		const char *option;
	} options[] = {
		{ count->sort, "-s" },
		{ show->fields, "-F" },
		{ show->graph.is_given, "-g" },
		{ show->hierarchy, "-H" },
		{ show->separator, "-t" },
		{ show->format, "--format" },
		{ show->stats, "--stats" },
		{ show->tasks, "--tasks" },
		{ show->mmaps, "--mmaps" },
		{ show->header, "--header" },
		{ show->full_header, "-I" },
		{ show->header_only, "--header-only" },
		{ show->thread_counts, "-T" },
		{ show->tui, "--tui" },
		{ count->total_cycles, "--total-cycles" },
		{ count->symbol_filter, "--symbol-filter" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_given)
			return options[i].option;
	return NULL;
}

static const struct view *view_of(const struct values *values)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (*(const bool *)((const char *)values + views[i].wanted))
			return &views[i];
	return NULL;
}

bool event_view_is_wanted(const struct values *values)
{
	return view_of(values) != NULL;
}

int event_view(const struct cli *cli, struct values *values)
{
	const struct view *view = view_of(values);
	const char *other = not_for_views(values);

	if (other)
		return options_misused(&report_command, "%s and %s exclude each other",
				       view->option, other);
	/* Their rows are no samples: those that pass the filters make them. */
	values->read.filter_rows = false;
	values->read.split_readings = false;
	values->read.with_symbols = values->read.filter.dsos || values->read.filter.symbols;
	return view->show(cli, values);
}
