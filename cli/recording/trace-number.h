/* SPDX-License-Identifier: MIT */
/* Numbers in samples of tracepoints, where the formats of the recording say they are. */
#ifndef RECORDING_TRACE_NUMBER_H
#define RECORDING_TRACE_NUMBER_H

#include <xperf/data.h>

#include "recording.h"

/* A field that is a number. */
struct trace_number {
	uint32_t offset, size; /* size 0: the tracepoint has no such field */
	bool is_signed, is_big_endian;
};

/* Whether an event is this tracepoint: "sched:sched_switch". */
bool trace_is_event(const struct xp_data_event *event, const char *name);

/* After recording_traces(). Returns 0, or -ENOENT: there is no number of that name. */
int trace_number_find(const struct recording *rec, uint64_t id, const char *name,
		      struct trace_number *ret_number);

/* Returns false if the sample is too short for it. */
bool trace_number_read(const struct trace_number *number, const struct xp_sample *sample,
		       int64_t *ret_value);

/* Whether it was taken in an interrupt, whatever task that has interrupted. */
bool trace_in_interrupt(const struct xp_sample *sample);

#endif
