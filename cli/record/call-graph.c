/* SPDX-License-Identifier: MIT */
/*
 * The way callers are found where the user leaves it to xperf: copies of stacks, which are right
 * whatever the program and its libraries were built with. Frame pointers are a promise of the
 * compiler that only the user can know of.
 */
#include "call-graph.h"

#include <stdio.h>
#include <xperf/sampling.h>

void call_graph_choose(const struct cli *cli, struct record_config *config)
{
	bool unwinds = config->sampling.unwinds;

	if (config->call_graph == CALL_GRAPH_AS_GIVEN ||
	    (config->call_graph == CALL_GRAPH_PLAIN && cli_is_perf(cli)))
		return;
	value_callchain(unwinds ? "dwarf" : "fp", &config->sampling);
	config->sampling.unwinds = unwinds;
	config->chain_was_chosen = true;
}

void call_graph_say(const struct record_config *config, bool in_kernel)
{
	const char *what = config->sampling.callchain != XP_CALLCHAIN_DWARF
				   ? "frame pointers (--call-graph fp), which most programs do "
				     "not keep: stacks cannot be unwound here, see 'xperf version "
				     "--build-options'"
			   : in_kernel ? "copies of stacks, and by rules in the kernel where that "
					 "costs less (--call-graph dwarf, rules)"
				       : "copies of stacks (--call-graph dwarf)";

	if (config->chain_was_chosen && !config->sums_ns && !config->quiet)
		fprintf(stderr, "Note: callers are found by %s\n", what);
}
