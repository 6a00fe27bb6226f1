/* SPDX-License-Identifier: MIT */
/* What a kernel does not know of struct perf_event_attr. */
#ifndef EVSEL_MISSING_H
#define EVSEL_MISSING_H

#include "event.h"

/*
 * Removes from an event's attribute what this kernel was found to lack and what can be done
 * without, and gives what the user has lost as its reason; the kernel is asked once per context.
 * Returns true if something was removed.
 */
bool xp_missing_drop(struct xp_evsel *evsel);

#endif
