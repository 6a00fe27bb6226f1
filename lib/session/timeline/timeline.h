/* SPDX-License-Identifier: MIT */
/* What those who count samples ask of a timeline, besides <xperf/timeline.h>. */
#ifndef SESSION_TIMELINE_H
#define SESSION_TIMELINE_H

#include <xperf/api.h>
#include <xperf/timeline.h>

struct xp_map;
struct xp_timeline;

/* True if xp_timeline_seal() has put its events in order, so that it can be asked. */
bool xp_timeline_is_sealed(const struct xp_timeline *timeline);

/* Where nothing is mapped: only its size, and the times for which that is so. */
void xp_timeline_gap_at(const struct xp_timeline *timeline, int32_t pid, uint16_t cpumode,
			uint64_t address, uint64_t time_ns, struct xp_map *ret_map);

/* Whether code of a DSO is in a file: not in memory alone, as that of JIT compilers. */
bool xp_timeline_is_file(const struct xp_dso *dso);

/*
 * A part of the kernel behind its text, where xp_timeline_map_at() has found nothing: the code that
 * runs at boot is there, and maps of the kernel by perf, and by old versions of xperf, have ended
 * before it. Idle CPUs are in calls from there. Returns false: it is too far away.
 */
bool xp_timeline_behind_text_at(const struct xp_timeline *timeline, uint64_t address,
				uint64_t time_ns, struct xp_map *ret_map);

/* If code was moved to memory, changes what xp_timeline_map_at() found there to the file that it
 * was moved from. Returns false: it is what it is. */
bool xp_timeline_moved_at(const struct xp_timeline *timeline, int32_t pid, uint64_t address,
			  uint64_t time_ns, struct xp_map *map);

#endif
