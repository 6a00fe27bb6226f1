/* SPDX-License-Identifier: MIT */
/* Tool events that say how the machine is, or how it is counted: values that are read once. */
#ifndef EVLIST_TOOLS_H
#define EVLIST_TOOLS_H

#include "ctx.h"
#include "event.h"

/*
 * Reads the value of such an event. @cpus: what runs on them is counted; NULL: tasks are.
 * Returns NULL, or why the value is not known; static storage.
 */
const char *xp_tool_read(struct xp_ctx *ctx, enum xp_tool_event tool, const struct xp_cpus *cpus,
			 uint64_t *ret_value);

#endif
