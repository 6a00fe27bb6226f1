/* SPDX-License-Identifier: MIT */
/* What those who sum up many addresses ask of a resolver, besides. */
#ifndef SESSION_RESOLVE_FILES_H
#define SESSION_RESOLVE_FILES_H

#include <xperf/api.h>

struct xp_resolver;

enum { XP_RESOLVER_THREADS = 16 };

/* What is read of a file; lines: symbols, too. */
enum { XP_OPEN_SYMBOLS = 1, XP_OPEN_LINES = 2 };

/* Opens what is wanted of all DSOs, by their index, with several threads. Returns 0 or -ENOMEM. */
int xp_resolver_open(struct xp_resolver *resolver, const uint8_t *wanted, int nr_threads);

/* Another one for a thread of its own, which does not keep what it has found: for addresses that
 * are asked for once. xp_resolver_free(), before @resolver. Returns 0 or -ENOMEM. */
int xp_resolver_fork(const struct xp_resolver *resolver, struct xp_resolver **ret_resolver);

#endif
