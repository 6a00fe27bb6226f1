/* SPDX-License-Identifier: MIT */
/* The CPUs, threads and counts in a recording of counts. */
#ifndef RECORDING_MAPS_H
#define RECORDING_MAPS_H

#include <xperf/record.h>

struct xp_data;

struct stat_record {
	struct xp_record header;
	uint64_t id;
	uint32_t cpu, thread; /* the CPU's number, before perf 5.18 its place; the thread's place */
	uint64_t value, enabled, running;
};

enum { STAT_ROUND_INTERVAL, STAT_ROUND_FINAL };

struct round_record {
	struct xp_record header;
	uint64_t type, time_ns;
};

enum { STAT_COMM_LEN = 16 };

/* By their places; -1: any CPU, or every thread. */
struct maps {
	int32_t *cpus, *threads;
	size_t nr_cpus, nr_threads;
	char (*comms)[STAT_COMM_LEN + 1]; /* of the threads */
};

/* Replaces the CPUs or the threads by those of a CPU_MAP or THREAD_MAP. Returns 0 or -ENOMEM. */
int maps_load(struct maps *maps, const struct xp_record *record);
void maps_fini(struct maps *maps);

/* The event of an id. Returns its position, -1 for an id that no event has. */
int maps_event_of(const struct xp_data *data, uint64_t id);

#endif
