/* SPDX-License-Identifier: MIT */
/*
 * Times in buckets, as a program in the kernel fills them and the library reads them: the first 32
 * nanoseconds have one each, then each power of two is divided into 32 of equal width. So a time
 * that is taken for the middle of its bucket is wrong by at most a 64th, 1.6 %.
 */
#ifndef INLINE_LATENCY_H
#define INLINE_LATENCY_H

#include <linux/types.h>

enum {
	LATENCY_BITS = 5,
	LATENCY_STEPS = 1 << LATENCY_BITS, /* per power of two */
	LATENCY_POWERS = 42,               /* 2^42 ns are 73 minutes */
	/* The last one has all that is longer. */
	LATENCY_BUCKETS = (LATENCY_POWERS - LATENCY_BITS + 1) * LATENCY_STEPS + 1,
};

/* The position of the highest bit; of 0: 0. The kernel's programs have no instruction for it. */
static inline __attribute__((always_inline)) __u32 latency_power(__u64 value)
{
	__u32 power = 0;

	for (__u32 step = 32; step; step /= 2)
		if (value >> step) {
			value >>= step;
			power += step;
		}
	return power;
}

static inline __attribute__((always_inline)) __u32 latency_bucket(__u64 ns)
{
	__u32 power = latency_power(ns);

	if (ns < LATENCY_STEPS)
		return (__u32)ns;
	if (power >= LATENCY_POWERS)
		return LATENCY_BUCKETS - 1;
	return (power - LATENCY_BITS) * LATENCY_STEPS + (__u32)(ns >> (power - LATENCY_BITS));
}

/* The shortest time of a bucket; of the one after the last of a power, that of the next power. */
static inline __attribute__((always_inline)) __u64 latency_least(__u32 bucket)
{
	if (bucket < LATENCY_STEPS)
		return bucket;
	return (__u64)(LATENCY_STEPS + bucket % LATENCY_STEPS) << (bucket / LATENCY_STEPS - 1);
}

#endif
