/* SPDX-License-Identifier: MIT */
/* What rows need to know of a profile's nodes and raw entries while they are made. */
#ifndef HIST_NODES_H
#define HIST_NODES_H

#include "profile-impl.h"

struct nodes {
	uint32_t *calls;         /* per node, once they are made: of profile->calls, or NO_NODE */
	uint32_t *raw_addresses; /* per entry of profile->raws, the number of its address */
};

/* Numbers all addresses: those of call chains, then those of samples. xp_nodes_fini() in any case.
 * Returns 0 or -ENOMEM. */
int xp_nodes_init(struct nodes *nodes, struct xp_profile *profile);
/* After xp_profile_look_up(). Returns 0 or -ENOMEM. */
int xp_nodes_make_calls(struct nodes *nodes, struct xp_profile *profile);
/* The innermost place of the call chain of an entry of profile->raws, after xp_nodes_make_calls();
 * NO_NODE: it has none. Returns 0 or -ENOMEM. */
int xp_nodes_call(const struct nodes *nodes, struct xp_profile *profile, uint32_t raw_nr,
		  uint32_t *ret_call);
void xp_nodes_fini(struct nodes *nodes);

#endif
