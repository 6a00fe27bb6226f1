/* SPDX-License-Identifier: MIT */
/* The kernel's tracepoints as tracefs lists them: events/SUBSYSTEM/EVENT/id. */
#ifndef SYS_TRACEFS_H
#define SYS_TRACEFS_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_names;

/*
 * Finds where tracefs is mounted, once per context.
 * Returns the mount point without the root, valid as long as the context; NULL: it is not mounted.
 */
const char *xp_tracefs_path(struct xp_ctx *ctx);

/* Why nothing can be had from tracefs: a clause for a sentence, and what to do. */
struct xp_tracefs_why {
	char reason[200];
	char hint[300];
};

/* @err: what a call below answered, or xp_file_absence(). */
void xp_tracefs_explain(struct xp_ctx *ctx, int err, struct xp_tracefs_why *ret_why);

/*
 * Reads the number of a tracepoint, which is the attribute's config. Names of any bytes are safe.
 * Returns 0, or -ENOENT (no such tracepoint, tracefs is not mounted), -EACCES, -EMFILE.
 */
int xp_tracefs_id(struct xp_ctx *ctx, const char *subsystem, const char *event, uint64_t *ret_id);

/* Lists the subsystems, sorted. Returns 0 or why not; @ret_names is the caller's to fini. */
int xp_tracefs_subsystems(struct xp_ctx *ctx, struct xp_names *ret_names);
/* Lists the events of a subsystem, sorted. Returns 0 or why not; @ret_names likewise. */
int xp_tracefs_events(struct xp_ctx *ctx, const char *subsystem, struct xp_names *ret_names);

#endif
