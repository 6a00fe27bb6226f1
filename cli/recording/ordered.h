/* SPDX-License-Identifier: MIT */
/* A pass over a recording in the order of time. */
#ifndef RECORDING_ORDERED_H
#define RECORDING_ORDERED_H

#include <xperf/data.h>

#include "options.h"
#include "recording.h"

/* The row of a command's table; @at: offset of jobs of struct recording_opts. */
#define JOBS_OPTION(at)                                                                            \
	{                                                                                          \
		0, "jobs", OPTION_INT,                                                             \
			.offset = (at), .value = "n",                                              \
			.help = "read with this many threads (default: one per CPU)"               \
	}

/* @time_ns, @position: as for recording_decode() */
typedef int (*recording_record_fn)(const struct xp_record *record, uint64_t time_ns,
				   uint64_t position, void *data);

/*
 * Calls @fn for each record that the order's keep function wants. Its limit is chosen here. After
 * stacks_open(), copied stacks are unwound by several threads before @fn sees the record; so
 * records are read ahead of it, unless @is_alone. Returns 0, what @fn returned if that is not 0, or
 * a negative errno.
 */
int recording_each_ordered(struct recording *rec, const struct xp_order_opts *opts, bool is_alone,
			   recording_record_fn fn, void *data);

#endif
