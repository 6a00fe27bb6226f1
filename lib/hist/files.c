/* SPDX-License-Identifier: MIT */
/* Which files a profile's samples are in: their symbols are read at the same time. */
#include <errno.h>
#include <stdlib.h>

#include "profile-impl.h"
#include "resolve-files.h"

/* Samples that come one after the other are often of one map. */
static void want_files(const struct xp_profile *profile, bool *wanted)
{
	uint32_t last_space = UINT32_MAX;
	struct xp_map map = { .size = sizeof(map) };

	for (uint32_t i = 0; i < profile->raws.nr; i++) {
		const struct raw *raw = xp_table_at(&profile->raws, i);
		const struct space *space = xp_table_at(&profile->spaces, raw->space);

		if (raw->space == last_space && raw->ip >= map.start && raw->ip < map.end)
			continue;
		if (!xp_timeline_map_at(profile->timeline, space->pid,
					(uint16_t)(raw->mode & XP_MISC_CPUMODE_MASK), raw->ip,
					space->time_ns, &map) ||
		    !map.dso)
			continue;
		last_space = raw->space;
		wanted[map.dso->index] = true;
	}
}

int xp_profile_open_files(const struct xp_profile *profile, struct xp_resolver *resolver)
{
	bool *wanted;

	if (profile->nr_threads < 2)
		return 0;
	wanted = calloc((size_t)xp_timeline_nr_dsos(profile->timeline) + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	want_files(profile, wanted);
	int err = xp_resolver_open(resolver, wanted, profile->nr_threads);
	free(wanted);
	return err;
}
