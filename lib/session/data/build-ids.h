/* SPDX-License-Identifier: MIT */
/* What the recorder needs of the set of files, besides <xperf/synth.h>. */
#ifndef SESSION_BUILD_IDS_H
#define SESSION_BUILD_IDS_H

#include <xperf/synth.h>

/* Starts the thread that reads files, which else the first file does. */
void xp_build_ids_start_thread(struct xp_build_ids *ids);

#endif
