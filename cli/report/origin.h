/* SPDX-License-Identifier: MIT */
/* Where the symbols of a location are from. */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include <xperf/api.h>

struct xp_location;

/* As a letter. Source of the letters: perf 6.1. '!': nowhere. */
char symbols_origin(const struct xp_location *location);

#endif
