/* SPDX-License-Identifier: MIT */
/* Descriptors of another process's events that an event takes over instead of being opened. */
#ifndef EVSEL_GIVEN_H
#define EVSEL_GIVEN_H

#include "event.h"

/*
 * The next opening of @evsel on a CPU takes @fd, which is the event's from now on.
 * Returns 0, -EEXIST (it has one) or -ENOMEM; then @fd is the caller's.
 */
int xp_evsel_give(struct xp_evsel *evsel, int cpu, int fd);
bool xp_evsel_is_given(const struct xp_evsel *evsel, int cpu);
/* The descriptor, once; -1: none was given. */
int xp_evsel_take_given(const struct xp_evsel *evsel, int cpu);
/* Closes those that were not taken. */
void xp_evsel_forget_given(struct xp_evsel *evsel);

#endif
