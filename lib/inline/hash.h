/* SPDX-License-Identifier: MIT */
/*
 * Hashes of what others have written. They depend on a number that each run has for itself: who
 * writes a recording cannot choose what falls into one place of a table.
 */
#ifndef INLINE_HASH_H
#define INLINE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* This run's. Source: getauxval(3), AT_RANDOM: 16 random bytes of the kernel's. */
static inline uint64_t xp_hash_seed(void)
{
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed | 1;
}

/* Folds a product of 128 bits: every bit of the words changes about half of it. One of them has to
 * have the seed in it. */
static inline uint64_t xp_hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t xp_hash_word(uint64_t seed, uint64_t word)
{
	return xp_hash_fold(word ^ seed, seed ^ UINT64_C(0xd6e8feb86659fd93));
}

static inline uint64_t xp_hash_bytes(uint64_t seed, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t hash = len ^ seed, words[2];

	for (; len > 0; at += sizeof(words)) {
		size_t some = len < sizeof(words) ? len : sizeof(words);

		words[0] = words[1] = 0;
		memcpy(words, at, some);
		hash = xp_hash_fold(words[0] ^ hash, words[1] ^ seed);
		len -= some;
	}
	return hash;
}

#endif
