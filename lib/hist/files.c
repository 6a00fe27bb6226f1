/* SPDX-License-Identifier: MIT */
/* Which files a profile's addresses are in: their symbols, and debug information, are read at the
 * same time. */
#include <errno.h>
#include <stdlib.h>

#include "places.h"
#include "resolve-files.h"

/* Addresses that come one after the other are often of one map. */
static void want_files(const struct xp_profile *profile, uint8_t *wanted)
{
	uint32_t last_space = UINT32_MAX;
	struct xp_map map = { .size = sizeof(map) };

	for (uint32_t i = 0; i < profile->addresses.nr; i++) {
		const struct address *address = xp_address_at(profile, i);
		const struct space *space = xp_table_at(&profile->spaces, address->space);
		uint8_t what = xp_profile_asks_lines(profile, address->mode) ? XP_OPEN_LINES
									     : XP_OPEN_SYMBOLS;

		if (address->space == last_space && address->ip >= map.start &&
		    address->ip < map.end) {
			wanted[map.dso->index] |= what;
			continue;
		}
		if (!xp_timeline_map_at(profile->timeline, space->pid,
					(uint16_t)(address->mode & XP_MISC_CPUMODE_MASK),
					address->ip, space->time_ns, &map) ||
		    !map.dso) {
			last_space = UINT32_MAX;
			continue;
		}
		last_space = address->space;
		wanted[map.dso->index] |= what;
	}
}

int xp_profile_open_files(const struct xp_profile *profile, struct xp_resolver *resolver)
{
	uint8_t *wanted;

	if (xp_profile_lookers(profile) < 2)
		return 0;
	wanted = calloc((size_t)xp_timeline_nr_dsos(profile->timeline) + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	want_files(profile, wanted);
	int err = xp_resolver_open(resolver, wanted, xp_profile_lookers(profile));
	free(wanted);
	return err;
}
