/* SPDX-License-Identifier: MIT */
/* Sets of CPUs, inside the library. */
#ifndef SYS_CPUS_H
#define SYS_CPUS_H

#include <xperf/api.h>

struct xp_cpus;

/* Makes the set of all CPUs that are in @a or in @b. Returns NULL on out of memory. */
struct xp_cpus *xp_cpus_join(const struct xp_cpus *a, const struct xp_cpus *b);
/* Whether it was made by xp_cpus_online(): all, not those that somebody named. */
bool xp_cpus_are_all(const struct xp_cpus *cpus);

#endif
