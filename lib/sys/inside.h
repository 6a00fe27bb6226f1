/* SPDX-License-Identifier: MIT */
/* How a process is called where it is, and the list of made code that it keeps there. */
#ifndef SYS_INSIDE_H
#define SYS_INSIDE_H

#include <sys/types.h>
#include <xperf/api.h>

struct xp_ctx;

/*
 * @pid:          its number in its own namespace
 * @user:         whose files it writes
 * @is_elsewhere: that is another number than ours, or its root is another one
 */
struct xp_inside {
	int32_t pid;
	uid_t user;
	bool is_elsewhere;
};

/* Returns 0 or why nothing is known of it: it has ended. */
int xp_inside_of(struct xp_ctx *ctx, int32_t pid, struct xp_inside *ret_inside);
/* Opens the process's own /tmp, only for names below it. Returns a descriptor or a negative errno.
 */
int xp_inside_tmp(const struct xp_ctx *ctx, int32_t pid);
/* Opens perf-PID.map in there, which has to be a file of the process's user or of root, and no
 * link. Returns a descriptor or a negative errno; -EPERM: it is another user's. */
int xp_inside_map(int tmp, const struct xp_inside *inside);

#endif
