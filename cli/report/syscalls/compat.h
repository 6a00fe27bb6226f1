/* SPDX-License-Identifier: MIT */
/*
 * Which processes are of a 32-bit program on a 64-bit machine, and number their calls as that does:
 * the vDSO that the kernel maps for them is below 4 GiB, that of other programs is above.
 */
#ifndef SYSCALLS_COMPAT_H
#define SYSCALLS_COMPAT_H

#include <stdbool.h>

#include "index.h"

struct process;
struct xp_record;

/* Zero-initialised, none is. */
struct compat {
	struct process *processes; /* that have been */
	size_t nr;
	struct index by_pid;
};

/* In the order of time: what a process has mapped, and who made it. Returns 0 or -ENOMEM. */
int compat_note(struct compat *compat, const struct xp_record *record);
bool compat_has(const struct compat *compat, int32_t pid);
void compat_fini(struct compat *compat);

#endif
