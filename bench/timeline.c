/* SPDX-License-Identifier: MIT */
/*
 * What the timeline of processes costs: a build of many short programs, as one would record it, and
 * samples anywhere in it.
 *
 * Usage: timeline [PROCESSES [MAPS]]     of which each is forked, executed, and maps that many
 * files Prints nanoseconds per record (added, sealed) and per lookup, and the memory of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

enum { NR_LOOKUPS = 5000000, MAP_LEN = 0x100000, STEP_NS = 1000, NR_FILES = 100 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* A record with its text behind it. */
struct named {
	union {
		struct xp_record header;
		struct xp_record_mmap2 mmap2;
		struct xp_record_comm comm;
		struct xp_record_task task;
	};
	char room[64];
};

static void finish(struct named *rec, uint32_t type, uint16_t misc, size_t fixed, size_t text)
{
	rec->header = (struct xp_record){ type, misc, (uint16_t)(fixed + text) };
}

static int add(struct xp_timeline *timeline, const struct named *rec, uint64_t time_ns)
{
	/* As rings of several CPUs are read: not quite in order. */
	struct xp_sample_id id = { .time_ns = time_ns ^ (time_ns >> 3 & 7) };

	return xp_timeline_add(timeline, &rec->header, &id);
}

static int add_process(struct xp_timeline *timeline, uint32_t pid, uint32_t nr_maps, uint64_t begin)
{
	struct named rec = { .task = { .pid = pid, .tid = pid, .parent_pid = 1, .parent_tid = 1 } };

	finish(&rec, XP_RECORD_FORK, 0, sizeof(rec.task), 0);
	int err = add(timeline, &rec, begin);
	rec = (struct named){ .comm = { .pid = pid, .tid = pid } };
	memcpy((char *)&rec + sizeof(rec.comm), "cc1plus", 8);
	finish(&rec, XP_RECORD_COMM, XP_MISC_COMM_EXEC, sizeof(rec.comm), 8);
	err = err ? err : add(timeline, &rec, begin + STEP_NS);
	for (uint32_t i = 0; i < nr_maps && !err; i++) {
		rec = (struct named){ .mmap2 = { .pid = pid, .tid = pid, .prot = 5 } };
		/* Further down each time, as the kernel places them. */
		rec.mmap2.address = 0x7f0000000000 - (uint64_t)i * 2 * MAP_LEN;
		rec.mmap2.len = MAP_LEN;
		snprintf((char *)&rec + sizeof(rec.mmap2), 32, "/usr/lib/lib%u.so.6",
			 (pid + i) % NR_FILES);
		finish(&rec, XP_RECORD_MMAP2, XP_MISC_USER, sizeof(rec.mmap2), 32);
		err = add(timeline, &rec, begin + (2 + i) * (uint64_t)STEP_NS);
	}
	return err;
}

/* Returns how many were found. */
static size_t look_up(const struct xp_timeline *timeline, uint32_t nr_processes, uint32_t nr_maps)
{
	uint64_t seed = 1, end = (uint64_t)nr_processes * (nr_maps + 2) * STEP_NS;
	size_t found = 0;
	struct xp_map map = { .size = sizeof(map) };

	for (size_t i = 0; i < NR_LOOKUPS; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		uint32_t random = (uint32_t)(seed >> 33);
		/* Samples of one process come together, in the order of the file. */
		uint32_t pid = 2 + (uint32_t)(i * (uint64_t)nr_processes / NR_LOOKUPS);
		uint64_t address = 0x7f0000000000 - (random % nr_maps) * (uint64_t)2 * MAP_LEN;

		found += (size_t)xp_timeline_map_at(timeline, (int32_t)pid, XP_MISC_USER,
						    address + (random >> 12), end, &map);
	}
	return found;
}

int main(int argc, char **argv)
{
	uint32_t nr_processes = argc > 1 ? (uint32_t)atoi(argv[1]) : 20000;
	uint32_t nr_maps = argc > 2 ? (uint32_t)atoi(argv[2]) : 40;
	struct xp_timeline *timeline;
	long before = peak_kib();

	if (!nr_processes || !nr_maps || xp_timeline_new(&timeline))
		return 2;
	uint64_t start = now_ns();
	for (uint32_t i = 0; i < nr_processes; i++)
		if (add_process(timeline, i + 2, nr_maps,
				(uint64_t)i * (nr_maps + 2) * STEP_NS + 1))
			return 1;
	uint64_t added = now_ns();
	if (xp_timeline_seal(timeline))
		return 1;
	uint64_t sealed = now_ns();
	size_t found = look_up(timeline, nr_processes, nr_maps);
	uint64_t done = now_ns();
	double records = (double)nr_processes * (nr_maps + 2);
	printf("%.0f records: add %.0f ns, seal %.0f ns each; %.0f bytes each at most\n", records,
	       (double)(added - start) / records, (double)(sealed - added) / records,
	       (double)(peak_kib() - before) * 1024 / records);
	printf("%d lookups: %.1f ns each, %zu found\n", NR_LOOKUPS,
	       (double)(done - sealed) / NR_LOOKUPS, found);
	xp_timeline_free(timeline);
	return 0;
}
