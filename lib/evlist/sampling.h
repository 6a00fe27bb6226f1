/* SPDX-License-Identifier: MIT */
/* What the recorder needs of a list, besides <xperf/sampling.h>. */
#ifndef EVLIST_SAMPLING_H
#define EVLIST_SAMPLING_H

#include <xperf/sampling.h>

/* Samples lost of an event at one position of its descriptors; 0 where it is not open. */
uint64_t xp_evsel_lost_at(const struct xp_evsel *evsel, int cell);

/* True if a ring has an AUX area that is read @snapshot by snapshot, or all the time. */
bool xp_evlist_ring_has_aux(const struct xp_evlist *evlist, int idx, bool snapshot);

/*
 * A ring's descriptor has hung up: its thread has ended. Takes that of another thread which
 * writes into the ring and is still there.
 * Returns true with place.fd changed, false if all have ended.
 */
bool xp_evlist_next_ring_fd(struct xp_evlist *evlist, int idx);

/* Stops (@pause) or resumes writing into the overwritten rings. Returns 0 or the kernel's errno. */
int xp_evlist_pause_overwritten(struct xp_evlist *evlist, bool pause);

#endif
