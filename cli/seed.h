/* SPDX-License-Identifier: MIT */
/*
 * Hashes of what comes from recordings. They depend on a number that each run has for itself: who
 * writes a recording cannot choose what falls into one place of a table.
 */
#ifndef CLI_SEED_H
#define CLI_SEED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* This run's. Source: getauxval(3), AT_RANDOM: 16 random bytes of the kernel's. */
static inline uint64_t hash_seed(void)
{
	uint64_t seed = 0;
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed | 1;
}

/* The two halves of a product of 128 bits: each bit of the word changes about half of it. */
static inline uint64_t seeded_word(uint64_t seed, uint64_t word)
{
	unsigned __int128 product =
		(unsigned __int128)(word ^ seed) * (seed ^ UINT64_C(0xd6e8feb86659fd93));

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t seeded_bytes(uint64_t seed, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t hash = seeded_word(seed, len);

	while (len > 0) {
		size_t some = len < sizeof(hash) ? len : sizeof(hash);
		uint64_t word = 0;

		memcpy(&word, at, some);
		hash = seeded_word(seed, hash ^ word);
		at += some;
		len -= some;
	}
	return hash;
}

#endif
