/* SPDX-License-Identifier: MIT */
/* What readers of recordings ask of tracing data, beyond <xperf/traces.h>. */
#ifndef TRACE_TRACES_H
#define TRACE_TRACES_H

#include <xperf/api.h>

struct xp_traces;

/*
 * The name of the tracepoint of a number (attr.config): "sched:sched_switch".
 * Returns it, NULL: not described; lives as long as @traces.
 */
const char *xp_traces_name(const struct xp_traces *traces, uint64_t id);

/* The function of the kernel an address is in. Returns its name, NULL: it is not known; *ret_start:
 * its first address. */
typedef const char *(*xp_traces_function_fn)(uint64_t address, uint64_t *ret_start, void *data);

/*
 * Sets how functions that samples refer to by address are looked up; names in the tracing data
 * themselves, as in old recordings, override it. @fn is called by xp_traces_text().
 */
void xp_traces_set_functions(struct xp_traces *traces, xp_traces_function_fn fn, void *data);

#endif
