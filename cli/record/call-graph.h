/* SPDX-License-Identifier: MIT */
/* Chooses how callers are found, where the user leaves it to xperf. */
#ifndef CLI_RECORD_CALL_GRAPH_H
#define CLI_RECORD_CALL_GRAPH_H

#include "config.h"

/* Replaces `auto` in the configuration. Called as perf, -g alone means frame pointers. */
void call_graph_choose(const struct cli *cli, struct record_config *config);
/* Says in a line what was chosen. @in_kernel: the kernel makes call chains, too */
void call_graph_say(const struct record_config *config, bool in_kernel);

#endif
