/* SPDX-License-Identifier: MIT */
/*
 * Messages of Protocol Buffers, put together from the inside outwards: a message that is part of
 * another is a field of bytes there. Fields with their default value are left out.
 *
 * Source: protobuf.dev, "Encoding".
 */
#ifndef EXPORT_MESSAGE_H
#define EXPORT_MESSAGE_H

#include "out.h"
#include "str.h"

/* A message; zeroed is empty. struct xp_str remembers a lack of memory. */
static inline void message_varint(struct xp_str *message, uint64_t value)
{
	char bytes[10];
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	xp_str_add(message, bytes, len);
}

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static inline void message_uint(struct xp_str *message, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	message_varint(message, field << 3 | WIRE_VARINT);
	message_varint(message, value);
}

static inline void message_fixed(struct xp_str *message, uint32_t field, uint64_t value)
{
	char bytes[8];

	if (!value)
		return;
	message_varint(message, field << 3 | WIRE_FIXED64);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(value >> 8 * i);
	xp_str_add(message, bytes, sizeof(bytes));
}

/* Also where there are none: an element of a list. */
static inline void message_bytes(struct xp_str *message, uint32_t field, const void *bytes,
				 size_t len)
{
	message_varint(message, field << 3 | WIRE_BYTES);
	message_varint(message, len);
	if (len)
		xp_str_add(message, bytes, len);
}

/* A part, which is empty afterwards. */
static inline void message_part(struct xp_str *message, uint32_t field, struct xp_str *part)
{
	message_bytes(message, field, part->s, part->len);
	message->failed |= part->failed;
	part->len = 0;
}

/* Text of Protocol Buffers is UTF-8: what is not becomes U+FFFD. */
void xp_message_text(struct xp_str *message, uint32_t field, const char *text);
/* Writes a message, which is empty afterwards. Returns 0 or -ENOMEM. */
int xp_message_write(struct xp_str *message, struct out *out);

#endif
