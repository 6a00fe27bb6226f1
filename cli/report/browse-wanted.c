/* SPDX-License-Identifier: MIT */
/* Whether a report is browsed or printed. */
#include "browse.h"
#include "feature.h"

/* The option that asks for text, or for what the browser has no rows for; NULL: there is none. */
static const char *asks_for_text(const struct values *values)
{
	const struct show_opts *show = &values->show;
	const struct {
		bool is_given;
		const char *option;
	} options[] = {
		{ show->stdio, "--stdio" },
		{ show->gtk, "--gtk" },
		{ show->quiet, "-q" },
		{ show->separator != NULL, "-t" },
		{ show->json, "--json" },
		{ show->stats, "--stats" },
		{ show->tasks, "--tasks" },
		{ show->mmaps, "--mmaps" },
		{ show->header, "--header" },
		{ show->full_header, "-I" },
		{ show->header_only, "--header-only" },
		{ show->thread_counts, "-T" },
		{ show->hierarchy, "-H" },
		{ show->color, "--stdio-color" },
		{ values->count.total_cycles, "--total-cycles" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_given)
			return options[i].option;
	return NULL;
}

bool browse_is_wanted(const struct values *values)
{
	const char *option = asks_for_text(values), *obstacle = screen_obstacle();

	if (values->show.text_by_default && !values->show.tui)
		return false;
	if (!option && !obstacle && feature_is_on("libslang"))
		return true;
	if (!values->show.tui)
		return false;
	if (option)
		fprintf(stderr, "Warning: --tui is ignored: %s asks for text\n", option);
	else
		fprintf(stderr, "Warning: --tui is not available: %s; --stdio is used\n",
			obstacle ? obstacle : "this xperf was built without ncurses");
	return false;
}
