/* SPDX-License-Identifier: MIT */
/* Probes whose kernel side is not that of other events. */
#ifndef EVSEL_PROBE_H
#define EVSEL_PROBE_H

#include <stdbool.h>

struct xp_attr;
struct xp_evsel;

/*
 * True if the kernel can count the event in threads and processes that are started later, which a
 * change to the attribute, or a name in tracefs, may bring about (probe-inherit.c).
 * @follows: it is opened on tasks, not on CPUs, which are not worth a name
 */
bool xp_probe_can_inherit(struct xp_evsel *evsel, bool follows);

/* Gives a probe of a program a name in tracefs until it is closed (probe-named.c). Returns true if
 * it has one. */
bool xp_probe_name(struct xp_evsel *evsel);
void xp_probe_remove_name(struct xp_evsel *evsel);
/* Changes a copy of the event's attribute to what opens it by its name, if it has one. */
void xp_probe_use_name(const struct xp_evsel *evsel, struct xp_attr *attr);

#endif
