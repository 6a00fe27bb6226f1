/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers from bytes that may be damaged: after the end there are zeros, and @failed is set.
 *
 * Source: DWARF 5, 7.6 "Variable Length Data".
 */
#ifndef DWARF_CURSOR_H
#define DWARF_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* @is_swapped: in the other byte order */
struct cursor {
	const uint8_t *at, *end;
	bool is_swapped, failed;
};

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline bool cursor_skip(struct cursor *c, uint64_t len)
{
	if (len > cursor_left(c)) {
		c->failed = true;
		c->at = c->end;
		return false;
	}
	c->at += len;
	return true;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *at = c->at;

	return cursor_skip(c, 1) ? *at : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *at = c->at;
	uint16_t value = 0;

	if (cursor_skip(c, sizeof(value)))
		memcpy(&value, at, sizeof(value));
	return c->is_swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *at = c->at;
	uint32_t value = 0;

	if (cursor_skip(c, sizeof(value)))
		memcpy(&value, at, sizeof(value));
	return c->is_swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *at = c->at;
	uint64_t value = 0;

	if (cursor_skip(c, sizeof(value)))
		memcpy(&value, at, sizeof(value));
	return c->is_swapped ? __builtin_bswap64(value) : value;
}

/* A number of 1, 2, 3, 4 or 8 bytes; of others 0. */
static inline uint64_t cursor_fixed(struct cursor *c, unsigned int len)
{
	switch (len) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 3: {
		uint64_t first = cursor_u8(c), second = cursor_u8(c), third = cursor_u8(c);

		return c->is_swapped == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			       ? first | second << 8 | third << 16
			       : first << 16 | second << 8 | third;
	}
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		cursor_skip(c, len);
		return 0;
	}
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (c->at < c->end) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
		shift += 7;
	}
	c->failed = true;
	return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (c->at < c->end) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
	c->failed = true;
	return 0;
}

/* A text up to its zero; NULL: it has none. */
static inline const char *cursor_text(struct cursor *c)
{
	const uint8_t *at = c->at;
	const uint8_t *end = cursor_left(c) ? memchr(at, '\0', cursor_left(c)) : NULL;

	if (!end) {
		c->failed = true;
		c->at = c->end;
		return NULL;
	}
	c->at = end + 1;
	return (const char *)at;
}

/* The length that units begin with. *ret_offset_size: 4 or 8, of offsets in it. */
static inline uint64_t cursor_length(struct cursor *c, uint8_t *ret_offset_size)
{
	enum { RESERVED = 0xfffffff0 };
	uint64_t len = cursor_u32(c);

	*ret_offset_size = 4;
	if (len == UINT32_MAX) {
		*ret_offset_size = 8;
		len = cursor_u64(c);
	} else if (len >= RESERVED) {
		c->failed = true;
	}
	return len;
}

#endif
