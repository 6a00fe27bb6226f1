/* SPDX-License-Identifier: MIT */
/*
 * Numbers by lot that are the same for the same seed everywhere: SplitMix64, G. L. Steele, D. Lea,
 * C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
#ifndef CLI_STATISTICS_RANDOM_H
#define CLI_STATISTICS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The state; any value is a seed. */
struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
/* From 0 to @end - 1, all with the same probability; end > 0. */
uint64_t random_below(struct random *random, uint64_t end);
/* Fills @order with 0 to n - 1, each order with the same probability. */
void random_order(struct random *random, int *order, int n);

#endif
