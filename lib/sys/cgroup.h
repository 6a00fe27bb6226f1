/* SPDX-License-Identifier: MIT */
/* Control groups by name: directories below where the hierarchy that can be counted is mounted. */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include "ctx.h"

struct xp_names;

/*
 * Finds the hierarchy that events can be counted by: cgroup v1's perf_event controller, or else
 * cgroup v2. Returns where it is mounted, without the root, valid as long as the context; NULL:
 * it is not mounted.
 */
const char *xp_cgroups_path(struct xp_ctx *ctx);

/* The hierarchy is of version 1, as its root shows. */
bool xp_cgroups_are_v1(struct xp_ctx *ctx);

/*
 * Opens the directory of a cgroup. @name is relative to the mount point; "/" is the whole.
 * Returns a descriptor, or -ENODEV (nothing is mounted), -ENOENT (no such cgroup, of any name),
 * or why it cannot be opened.
 */
int xp_cgroup_open_dir(struct xp_ctx *ctx, const char *name);

/* True if a cgroup holds every task of the machine: the root, but not that of a namespace. */
bool xp_cgroup_is_all(struct xp_ctx *ctx, const char *name);

/*
 * Adds the names of all cgroups, "/" first, those below behind the one they are in. What cannot be
 * read is left out. Returns 0, -ENODEV (nothing is mounted), -ENOMEM.
 */
int xp_cgroups_list(struct xp_ctx *ctx, struct xp_names *names);

/* What distinguishes a cgroup from one of the same name that is made later; 0: it is not there. */
uint64_t xp_cgroup_inode(struct xp_ctx *ctx, const char *name);
/* There is one of this name, and it is not the one of @inode. */
bool xp_cgroup_is_another(struct xp_ctx *ctx, const char *name, uint64_t inode);

#endif
