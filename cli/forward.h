/* SPDX-License-Identifier: MIT */
/* A kernel table that passes every call on to another one, to be changed in one entry or two. */
#ifndef CLI_FORWARD_H
#define CLI_FORWARD_H

#include <xperf/sys.h>

struct forward {
	struct xp_sys sys;          /* first: what entries get is also the struct forward */
	const struct xp_sys *under; /* where calls go */
};

/* Fills in @forward. @under is borrowed as long as it is used. */
void forward_init(struct forward *forward, const struct xp_sys *under);

#endif
