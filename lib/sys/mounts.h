/* SPDX-License-Identifier: MIT */
/* What is mounted where, as /proc/mounts lists it. */
#ifndef SYS_MOUNTS_H
#define SYS_MOUNTS_H

#include "ctx.h"

/*
 * @at:      without the context's root
 * @type:    of the file system
 * @options: separated by commas
 */
struct xp_mount {
	const char *at;
	const char *type;
	const char *options;
};

/*
 * Calls @fn for each mount in the table's order, until it returns something else than 0; the
 * strings are its for the call. Returns that, 0, or why the table cannot be read.
 */
int xp_mounts_walk(struct xp_ctx *ctx, int (*fn)(const struct xp_mount *mount, void *data),
		   void *data);

#endif
