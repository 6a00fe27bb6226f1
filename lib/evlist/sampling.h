/* SPDX-License-Identifier: MIT */
/* What the recorder needs of a list, besides <xperf/sampling.h>. */
#ifndef EVLIST_SAMPLING_H
#define EVLIST_SAMPLING_H

#include <xperf/api.h>

struct xp_attr;
struct xp_evlist;
struct xp_evsel;

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

/*
 * CPUs that came back or came online, of a list that is recorded; which they are is known since
 * the last xp_evlist_update(). What is recorded of whole CPUs, without AUX areas and overwritten
 * rings, can be opened there again.
 */
bool xp_evlist_can_reopen(const struct xp_evlist *evlist);
bool xp_evlist_any_back(const struct xp_evlist *evlist);
/* Makes the CPUs that came online part of the list. Returns 0 or a negative errno. */
int xp_evlist_add_new_cpus(struct xp_evlist *evlist);
/* The position of a CPU whose events have to be opened again; -1: there is none. */
int xp_evlist_next_back(const struct xp_evlist *evlist);
/*
 * Closes the events of a CPU, opens them and maps their ring, without starting them. The ring that
 * it had is unmapped; rings can have other numbers then. Returns 0 or a negative errno, after which
 * nothing is recorded there.
 */
int xp_evlist_reopen_cpu(struct xp_evlist *evlist, int cpu_idx);
/* Starts the events of a CPU if those of the list are enabled (update.c). */
void xp_evlist_start_cpu(struct xp_evlist *evlist, int cpu_idx);

/* The period of a clock whose samples have one, nanoseconds, as it was opened; 0: it is no such. */
uint64_t xp_clock_period(const struct xp_attr *attr);
/* True if such clocks of whole CPUs are recorded, whose period can change. */
bool xp_evlist_has_slow_clocks(const struct xp_evlist *evlist);
/* Samples them one in @parts times as often as they were opened for. Samples do not say so. */
void xp_evlist_slow_clocks(struct xp_evlist *evlist, unsigned int parts);

/* Stops (@pause) or resumes writing into the overwritten rings. Returns 0 or the kernel's errno. */
int xp_evlist_pause_overwritten(struct xp_evlist *evlist, bool pause);

#endif
