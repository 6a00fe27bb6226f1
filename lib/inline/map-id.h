/* SPDX-License-Identifier: MIT */
/*
 * Which records of maps have a build id. While some recorder asks for build ids, Linux marks the
 * records of all as having them, where device and inode stay in their place.
 * Source: measured, Linux 6.18; perf_event_mmap_output() and build_id_parse() of Linux 6.1: three
 * bytes behind the length, and what an id leaves of its 20 bytes, are 0.
 */
#ifndef INLINE_MAP_ID_H
#define INLINE_MAP_ID_H

#include <stdbool.h>
#include <string.h>
#include <xperf/record.h>

/* A device's major number is above 20 or more than a byte, or 0; or behind what would be the id is
 * the rest of an inode's number and generation. */
static inline bool has_map_id(const struct xp_record_mmap2 *map)
{
	static const unsigned char zeros[sizeof(map->build_id)];
	size_t len = map->build_id_size;

	return map->header.misc & XP_MISC_MMAP_BUILD_ID && len && len <= sizeof(zeros) &&
	       !map->reserved_1 && !map->reserved_2 &&
	       !memcmp(map->build_id + len, zeros, sizeof(zeros) - len);
}

#endif
