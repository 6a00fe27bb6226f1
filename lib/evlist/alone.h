/* SPDX-License-Identifier: MIT */
/* Events that are not handed on to new threads and processes: whether there were any. */
#ifndef EVLIST_ALONE_H
#define EVLIST_ALONE_H

#include <stdbool.h>
#include <stdint.h>

struct xp_counts;
struct xp_evlist;

/* Opens what is needed to know it, after the events. Returns 0 or -ENOMEM. */
int xp_alone_open(struct xp_evlist *evlist, bool enable_on_exec);
/* After the events are enabled: the time must not be longer than theirs by itself. */
void xp_alone_enable(struct xp_evlist *evlist);
void xp_alone_close(struct xp_evlist *evlist);
/* Before the events are read, for the same reason. */
uint64_t xp_alone_read(const struct xp_evlist *evlist);
/* Makes counts zeros, with a reason, if something was started that they lack. */
void xp_alone_hide(struct xp_evlist *evlist, uint64_t company_ns, struct xp_counts *counts);

#endif
