/* SPDX-License-Identifier: MIT */
/* Call chains that the kernel makes at each sample, in a run of `xperf record`. */
#ifndef CLI_RECORD_WALKS_H
#define CLI_RECORD_WALKS_H

#include <xperf/api.h>

struct recorder;

/* What events need for it, where it is wanted and can be had; before they are configured. */
void walks_plan(struct recorder *recorder);
/* Loads what events have from the beginning; before they are opened. */
void walks_load(struct recorder *recorder);
/* Begins with it when it is worth it, and keeps it up to date, from time to time. */
void walks_tend(struct recorder *recorder, uint64_t now_ns);

#endif
