/* SPDX-License-Identifier: MIT */
/* One thread's way from a sample's registers and stack to its call chain, by the live maps. */
#ifndef SESSION_WALKER_H
#define SESSION_WALKER_H

#include <pthread.h>
#include <xperf/api.h>

#include "live-maps.h"

struct xp_live_space;
struct xp_sample;
struct xp_unwind;
struct xp_unwind_chain;
struct xp_unwinder;

enum { XP_WALK_FRAMES_MAX = 1024 };

/* What all walkers use. Maps do not change while there is a walk. */
struct xp_walk_files {
	struct xp_unwind *unwind;
	struct xp_live_maps maps;
	pthread_mutex_t lock; /* of what the maps keep of their files */
};

struct xp_walker {
	struct xp_walk_files *files;
	struct xp_unwinder *unwinder;
	/* the present sample */
	const struct xp_live_space *space;
	uint64_t space_state; /* as xp_live_space() gave it */
	uint64_t time_ns;
	int32_t pid, tid;
	uint64_t pcs[XP_WALK_FRAMES_MAX], sps[XP_WALK_FRAMES_MAX];
	uint8_t marks[XP_WALK_FRAMES_MAX];
};

/* Returns 0, -EOPNOTSUPP (unwinding is not known for this machine), -ENOMEM. */
int xp_walker_init(struct xp_walker *walker, struct xp_walk_files *files);
/* One that is all 0 is allowed. */
void xp_walker_fini(struct xp_walker *walker);
/* From here on it is about another sample, until the maps change. */
void xp_walker_enter(struct xp_walker *walker, const struct xp_sample *sample);
/*
 * Computes the chain of the sample that was entered, in the walker's arrays, with @room frames at
 * most. Returns false: its registers cannot be walked from, and the chain is where the sample was,
 * if that was in user space.
 */
bool xp_walker_walk(struct xp_walker *walker, const struct xp_sample *sample, size_t room,
		    struct xp_unwind_chain *ret_chain);
/* The file that is mapped at an address, where code may be. Returns its name, valid as long as its
 * maps; NULL: none is. */
const char *xp_walker_file(const struct xp_walker *walker, uint64_t address);
/* Whether what is mapped at an address has been there since a time. @walker: a struct xp_walker */
bool xp_walker_is_mapped(void *walker, uint64_t address, uint64_t since_ns);

/* Whether what was mapped at an address at the sample's time was not there before @since_ns. */
bool xp_walker_is_newer(const struct xp_walker *walker, uint64_t address, uint64_t since_ns);

#endif
