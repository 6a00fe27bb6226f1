/* SPDX-License-Identifier: MIT */
/*
 * Bodies of records and features, put together in a string of bytes. Out of memory is remembered
 * there (xp_str.failed) and looked at once, at the end.
 */
#ifndef SESSION_BYTES_H
#define SESSION_BYTES_H

#include <stdint.h>
#include <string.h>

#include "str.h"

static inline void add_bytes(struct xp_str *out, const void *bytes, size_t len)
{
	if (len)
		xp_str_add(out, bytes, len);
}

static inline void add_u16(struct xp_str *out, uint16_t value)
{
	add_bytes(out, &value, sizeof(value));
}

static inline void add_u32(struct xp_str *out, uint32_t value)
{
	add_bytes(out, &value, sizeof(value));
}

static inline void add_u64(struct xp_str *out, uint64_t value)
{
	add_bytes(out, &value, sizeof(value));
}

static inline void add_zeros(struct xp_str *out, size_t len)
{
	static const char zeros[64];

	for (; len > sizeof(zeros); len -= sizeof(zeros))
		add_bytes(out, zeros, sizeof(zeros));
	add_bytes(out, zeros, len);
}

/* Up to a multiple of 8, counted from byte @start. */
static inline void add_padding(struct xp_str *out, size_t start)
{
	add_zeros(out, (8 - (out->len - start) % 8) % 8);
}

/* A feature's string: padded length, bytes, NULs up to a multiple of 64. */
static inline void add_feature_text(struct xp_str *out, const char *text, size_t len)
{
	enum { UNIT = 64 };
	size_t padded = (len + 1 + UNIT - 1) / UNIT * UNIT;

	add_u32(out, (uint32_t)padded);
	add_bytes(out, text, len);
	add_zeros(out, padded - len);
}

static inline void add_feature_string(struct xp_str *out, const char *text)
{
	add_feature_text(out, text, strlen(text));
}

/* Overwrites a number that was added as a place-holder. */
static inline void set_u32(struct xp_str *out, size_t at, uint32_t value)
{
	if (!out->failed)
		memcpy(out->s + at, &value, sizeof(value));
}

static inline void set_u64(struct xp_str *out, size_t at, uint64_t value)
{
	if (!out->failed)
		memcpy(out->s + at, &value, sizeof(value));
}

#endif
