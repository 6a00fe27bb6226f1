/* SPDX-License-Identifier: MIT */
/* What was there before a recording, described as records. */
#ifndef CLI_RECORD_SYNTHESIZE_H
#define CLI_RECORD_SYNTHESIZE_H

#include <xperf/record.h>

#include "config.h"

struct xp_ctx;
struct xp_evlist;

struct before {
	struct xp_ctx *ctx;
	const struct record_config *config;
	struct xp_evlist *evlist; /* open */
	const struct target *target;
	pid_t workload;        /* 0: none */
	bool workload_running; /* it has executed, and has maps, and children perhaps */
	bool kernel_hidden;    /* out: its addresses cannot be seen */
};

/* Calls @fn for each record. Returns 0, what @fn returned, or a negative errno. */
int synthesize(struct before *before, xp_record_fn fn, void *data);

#endif
