/* SPDX-License-Identifier: MIT */
/* Probes whose kernel side is not that of other events. */
#ifndef EVSEL_PROBE_H
#define EVSEL_PROBE_H

#include <stdbool.h>

struct xp_evsel;

/*
 * True if the kernel can count the event in threads and processes that are started later, which a
 * change to the attribute may bring about (probe-inherit.c).
 */
bool xp_probe_can_inherit(struct xp_evsel *evsel);

#endif
