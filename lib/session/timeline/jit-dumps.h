/* SPDX-License-Identifier: MIT */
/* The dumps that JIT compilers in a recording have written, for their descriptions of frames. */
#ifndef SESSION_JIT_DUMPS_H
#define SESSION_JIT_DUMPS_H

#include <xperf/api.h>

#include "id-map.h"

struct xp_dso;
struct xp_timeline;
struct xp_unwind;
struct xp_unwind_file;
struct xp_unwind_map;

/* @next: another one of the same process, -1: none */
struct jit_dump {
	const struct xp_dso *dso;
	uint64_t mapped_ns; /* XP_NO_TIME: it is in no map */
	struct xp_unwind_file *file;
	int next;
};

/* Zero-initialised is empty. */
struct jit_dumps {
	struct jit_dump *at;
	size_t nr;
	struct xp_id_map by_pid; /* -> the last one */
};

/*
 * Finds those of a sealed timeline; nothing is read yet.
 * @is_monotonic: the recording's times are those of CLOCK_MONOTONIC
 * Returns 0 or -ENOMEM.
 */
int xp_jit_dumps_find(struct jit_dumps *dumps, const struct xp_timeline *timeline,
		      struct xp_unwind *unwind, bool is_monotonic);
void xp_jit_dumps_fini(struct jit_dumps *dumps);
/*
 * The code at an address whose frames a dump of a process describes. Any thread may ask.
 * @span: is made smaller where the answer is true for a shorter time
 * Returns false: there is none.
 */
bool xp_jit_dumps_map(const struct jit_dumps *dumps, int32_t pid, uint64_t address,
		      uint64_t time_ns, struct xp_unwind_map *ret_map, uint64_t span[2]);

#endif
