/* SPDX-License-Identifier: MIT */
/*
 * Events that several processes read. Each offers those of its events that count on whole CPUs,
 * with their descriptors, in a map of BPF, which is found by its name and is gone with the process.
 * Others take second descriptors of them instead of opening events that count the same: the
 * counters of a CPU are used once. An event is there until its last descriptor is closed.
 */
#ifndef EVLIST_SHARED_EVENTS_H
#define EVLIST_SHARED_EVENTS_H

#include <sys/types.h>
#include <xperf/api.h>

struct xp_evlist;

/*
 * Gives events of a list, which is not open, the descriptors of others' that count the same, group
 * by group; xp_evlist_open() uses them. Where it is not allowed, events are opened as ever: it
 * needs CAP_SYS_ADMIN, and to be allowed to trace the other process, which is of the same user.
 */
void xp_shared_events_reuse(struct xp_evlist *list);

/*
 * Offers the events of a list, which is open and enabled, from now on. @pid: of this process
 * Returns a descriptor, by whose closing that ends, or a negative errno: -ENOENT: there is none
 * that others could read.
 *
 * Source: bpf(2), pidfd_getfd(2).
 */
int xp_shared_events_offer(const struct xp_evlist *list, pid_t pid);

#endif
