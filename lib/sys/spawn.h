/* SPDX-License-Identifier: MIT */
/* A child process held before its exec, and the signal mask it starts with. */
#ifndef SYS_SPAWN_H
#define SYS_SPAWN_H

#include <signal.h>
#include <xperf/api.h>

struct xp_child;

/* Blocks signals in this process; children spawned later start with the mask before the first call.
 */
int xp_spawn_block_signals(const sigset_t *set);

/* Back to the mask before the first call, which is forgotten then. */
int xp_spawn_unblock_signals(void);

/* struct xp_sys, spawn. */
int xp_spawn_held(char *const argv[], struct xp_child *ret_child);

#endif
