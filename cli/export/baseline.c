/* SPDX-License-Identifier: MIT */
/* The recording that another one is compared with. */
#include <stdio.h>
#include <string.h>
#include <xperf/export.h>

#include "escape.h"
#include "export.h"

bool baseline_is_shown(const struct write_opts *what)
{
	if (what->format->has & XP_EXPORT_BASE)
		return true;
	fprintf(stderr, "Error: --diff: the format %s shows no differences; svg and html do\n",
		what->format->name);
	return false;
}

bool baseline_is_kept(const struct write_opts *what, const char *baseline)
{
	if (!what->output || !result_is_input(what->output, baseline))
		return true;
	fprintf(stderr, "Error: '%s' cannot be written: it is also the baseline\n",
		escaped(what->output));
	return false;
}

/* Events that both have are compared with each other. */
static bool has_common_event(const struct xp_tree *tree, const struct xp_tree *base)
{
	struct xp_tree_event a = { .size = sizeof(a) }, b = { .size = sizeof(b) };

	for (int i = 0; !xp_tree_event_at(tree, i, &a); i++)
		for (int j = 0; !xp_tree_event_at(base, j, &b); j++)
			if (!strcmp(a.name, b.name))
				return true;
	return xp_tree_event_at(tree, 0, &a) != 0;
}

int baseline_read(const struct cli *cli, const struct collect_opts *from, struct write_opts *what,
		  const char *baseline, const struct xp_tree *tree, struct xp_tree *base,
		  bool *ret_failed)
{
	struct collect_opts opts = *from;
	struct xp_tree_event event = { .size = sizeof(event) };
	bool is_one = !xp_tree_event_at(tree, what->opts.event, &event);

	opts.read.input = baseline;
	opts.code = false;
	opts.more = NULL;
	int status = tree_read(cli, &opts, base, NULL, ret_failed);
	if (*ret_failed)
		return status;
	what->opts.base = base;
	what->opts.base_event = is_one ? event_of_name(base, event.name) : -1;
	*ret_failed =
		is_one ? what->opts.base_event < 0
		       : what->format->has & XP_EXPORT_EVENTS && !has_common_event(tree, base);
	if (*ret_failed && !is_one)
		fputs("Error: the recordings have no event in common\n", stderr);
	return *ret_failed ? EXIT_FAILED : status;
}
