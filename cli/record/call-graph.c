/* SPDX-License-Identifier: MIT */
/*
 * The way callers are found where the user leaves it to xperf: copies of stacks, which are right
 * whatever the program and its libraries were built with. Frame pointers are a promise of the
 * compiler that only the user can know of.
 */
#include "call-graph.h"

#include <stdio.h>

static void say(const struct record_config *config, bool unwinds)
{
	if (config->quiet)
		return;
	if (unwinds)
		fputs("Note: callers are found by copies of stacks (--call-graph dwarf)\n", stderr);
	else
		fputs("Note: callers are found by frame pointers (--call-graph fp), which most "
		      "programs do not keep: stacks cannot be unwound here, see 'xperf version "
		      "--build-options'\n",
		      stderr);
}

void call_graph_choose(const struct cli *cli, struct record_config *config)
{
	bool unwinds = config->sampling.unwinds;

	if (config->call_graph == CALL_GRAPH_AS_GIVEN ||
	    (config->call_graph == CALL_GRAPH_PLAIN && cli_is_perf(cli)))
		return;
	value_callchain(unwinds ? "dwarf" : "fp", &config->sampling);
	config->sampling.unwinds = unwinds;
	if (!config->sums_ns)
		say(config, unwinds);
}
