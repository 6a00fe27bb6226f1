/* SPDX-License-Identifier: MIT */
/* What those who sum up many addresses ask of a resolver, besides. */
#ifndef SESSION_RESOLVE_FILES_H
#define SESSION_RESOLVE_FILES_H

#include <xperf/resolve.h>

enum { XP_RESOLVER_THREADS = 16 };

/* Opens the symbol tables of all wanted DSOs, by their index, with several threads. Returns 0 or
 * -ENOMEM. */
int xp_resolver_open(struct xp_resolver *resolver, const bool *wanted, int nr_threads);

#endif
