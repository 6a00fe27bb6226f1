/* SPDX-License-Identifier: MIT */
/* A stage of the writer: from context switches to samples of how long tasks waited. */
#ifndef RECORDER_OFF_CPU_H
#define RECORDER_OFF_CPU_H

#include "recorder-impl.h"

struct xp_off_cpu;

/* Returns 0, -EINVAL: the event's samples lack a field that is needed; -ENOMEM. */
int xp_off_cpu_new(const struct xp_recorder *r, struct xp_off_cpu **ret_off);
void xp_off_cpu_free(struct xp_off_cpu *off);

/* Writes a block of a ring: without the samples of switches, with those of waits. Returns 0 or a
 * negative errno. */
int xp_off_cpu_write(struct xp_recorder *r, struct xp_block *block);
/* Behind the last block: the waits that are left, those that go on included. Returns likewise. */
int xp_off_cpu_end(struct xp_recorder *r);

#endif
