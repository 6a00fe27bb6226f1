/* SPDX-License-Identifier: MIT */
/* Chooses how callers are found, where the user leaves it to xperf. */
#ifndef CLI_RECORD_CALL_GRAPH_H
#define CLI_RECORD_CALL_GRAPH_H

#include "config.h"

/* What the choice depends on. */
struct call_graph_facts {
	const char *program; /* the file that was looked at; NULL: which one runs is not known */
	bool is_known;       /* whether it keeps frame pointers */
	bool keeps_pointers;
	bool defers;  /* the kernel can find the user's part later, at the end of a system call */
	bool has_lbr; /* the processor records calls */
	bool unwinds; /* copies of stacks become call chains while recording */
};

/* @mode: as --call-graph has it; @why: a clause for the user; @instead: what he can type, or "" */
struct call_graph_row {
	const char *mode, *why, *instead;
	bool (*fits)(const struct call_graph_facts *facts);
};

/* The first mode that fits; one always does. */
const struct call_graph_row *call_graph_for(const struct call_graph_facts *facts);

/* Replaces `auto` in the configuration, and says so in a line. Called as perf, -g alone means frame
 * pointers. */
void call_graph_choose(struct xp_ctx *ctx, const struct cli *cli, struct record_config *config);

#endif
