/* SPDX-License-Identifier: MIT */
/* Where the CPUs of a recording sat. */
#ifndef RECORDING_PLACES_H
#define RECORDING_PLACES_H

#include "recording.h"

/*
 * Gives the context of a recording the sockets, dies, cores, nodes and caches that its header has;
 * a CPU that is not in it is the first of everything.
 * @level: of caches; 0: the last one
 * Returns 0 or -ENOMEM.
 */
int places_set(struct recording *rec, const struct xp_cpus *cpus, int level);

#endif
