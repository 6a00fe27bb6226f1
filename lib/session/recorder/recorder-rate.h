/* SPDX-License-Identifier: MIT */
/* How often clocks are sampled: recorder-rate.c. */
#ifndef SESSION_RECORDER_RATE_H
#define SESSION_RECORDER_RATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu-share.h"

struct xp_shed;

/* @ppm of @share: 0: rates stay */
struct xp_rate {
	struct cpu_share share;     /* of all CPUs that are recorded together */
	_Atomic unsigned int parts; /* that a rate is one of; 1: as it was asked for */
	_Atomic unsigned int slowest;
	_Atomic uint64_t slowed_ns; /* for how long there was more than one */
	unsigned int fill;          /* of the fullest ring since the last look, parts in 16 */
	uint64_t looked_ns, effect_ns, calm_ns, wait_ns;
	bool was_raised; /* since it was lowered last */
	uint64_t lost;
};

/* The load at a look; numbers since the beginning. */
struct xp_load {
	uint64_t now_ns, cpu_ns, samples, lost;
	size_t backlog, backlog_most;
	unsigned int fill;
};

void xp_rate_init(struct xp_rate *rate, uint64_t ppm, int nr_cpus);
/* Returns true with other parts. */
bool xp_rate_step(struct xp_rate *rate, const struct xp_load *load);
/* Gives samples of clocks the period that they have been taken with, in place; whole records. */
void xp_rate_mend(const struct xp_shed *shed, unsigned int parts, char *records, size_t len);

#endif
