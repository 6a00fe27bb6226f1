/* SPDX-License-Identifier: MIT */
/*
 * Two events of one tracepoint, as of -e beside --syscalls, record each hit twice. A hit's samples
 * are one after the other on its CPU; a later hit cannot be the same without another one between.
 */
#ifndef RECORDING_TRACE_REPEATS_H
#define RECORDING_TRACE_REPEATS_H

#include <stddef.h>
#include <stdint.h>

enum { TRACE_HIT_VALUES = 3 };

/* A sample: its event in the recording, which tracepoint that is, and what it says. */
struct trace_hit {
	int event, kind;
	int32_t tid;
	int64_t values[TRACE_HIT_VALUES];
};

/* The last one of each CPU. Zero-initialised, there was none. */
struct trace_repeats {
	struct trace_hit *last;
	size_t nr;
};

/* In the order of time. @cpu: below 0: not recorded. Returns 1 if another event has recorded the
 * same hit before, 0, or -ENOMEM. */
int trace_repeats_add(struct trace_repeats *repeats, int cpu, const struct trace_hit *hit);
void trace_repeats_fini(struct trace_repeats *repeats);

#endif
