/* SPDX-License-Identifier: MIT */
/* What those who count samples ask of a timeline, besides <xperf/timeline.h>. */
#ifndef SESSION_TIMELINE_H
#define SESSION_TIMELINE_H

#include <xperf/timeline.h>

/* True if xp_timeline_seal() has put its events in order, so that it can be asked. */
bool xp_timeline_is_sealed(const struct xp_timeline *timeline);

#endif
