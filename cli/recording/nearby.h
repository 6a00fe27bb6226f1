/* SPDX-License-Identifier: MIT */
/* What is there instead of a recording that does not exist. */
#ifndef RECORDING_NEARBY_H
#define RECORDING_NEARBY_H

#include <xperf/api.h>

struct xp_diag;

/* Names in the hint of @diag the recordings beside @path whose names begin as its does, such as
 * perf.data.old and those of --switch-output. Without any, @diag stays as it is. */
void nearby_hint(const char *path, struct xp_diag *diag);

#endif
