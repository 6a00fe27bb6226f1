/* SPDX-License-Identifier: MIT */
/* What a recording has beside samples, for timelines: what happened to threads, and counts. */
#ifndef EXPORT_MARKS_H
#define EXPORT_MARKS_H

#include <xperf/api.h>

#include "index.h"
#include "recording.h"

struct xp_exporter;
struct xp_record;

/* A thread that is not running. */
struct away {
	int32_t pid, tid;
	uint64_t since_ns; /* 0: it runs, or that is not known */
	bool is_preempted;
};

/* What was counted of an event on a CPU, of a thread, since the beginning. */
struct cell {
	int event;
	uint32_t cpu, thread;
	uint64_t value, enabled, running;
	double scaled; /* of the interval that is not complete yet */
	bool has_run;  /* in it */
};

/* Zeroed but for @rec and @exporter. */
struct marks {
	const struct recording *rec;
	struct xp_exporter *exporter;
	struct away *away;
	struct cell *cells;
	size_t nr_away, nr_cells;
	struct index by_thread, by_cell;
	uint64_t seed, last_round_ns;
};

/* Whether a record is one of them. */
bool marks_want(const struct xp_record *record);
/* Adds it. @time_ns, @position: as for recording_decode(). Returns 0 or a negative errno. */
int marks_add(struct marks *marks, const struct xp_record *record, uint64_t time_ns,
	      uint64_t position);
void marks_fini(struct marks *marks);

#endif
