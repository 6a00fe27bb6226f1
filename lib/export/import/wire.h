/* SPDX-License-Identifier: MIT */
/* Reading messages of Protocol Buffers that others have written: fields, one after the other, never
 * more bytes than there are. Source: protobuf.dev, "Encoding". */
#ifndef EXPORT_WIRE_H
#define EXPORT_WIRE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes, consumed from the front. */
struct wire {
	const uint8_t *at, *end;
};

/* @part: of a field of bytes; else it is empty, and @value has what is there */
struct wire_field {
	uint32_t nr;
	uint64_t value;
	struct wire part;
};

static inline bool wire_varint(struct wire *wire, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; wire->at < wire->end && shift < 64; shift += 7) {
		uint8_t byte = *wire->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = value;
			return true;
		}
	}
	return false;
}

/* The next field. Returns 1, 0 at the end, -EBADMSG. */
static inline int wire_next(struct wire *wire, struct wire_field *ret)
{
	enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
	uint64_t key, len;

	if (wire->at == wire->end)
		return 0;
	if (!wire_varint(wire, &key) || key >> 3 > UINT32_MAX || !(key >> 3))
		return -EBADMSG;
	*ret = (struct wire_field){ .nr = (uint32_t)(key >> 3) };
	if ((key & 7) == VARINT)
		return wire_varint(wire, &ret->value) ? 1 : -EBADMSG;
	len = (key & 7) == FIXED64 ? 8 : 4;
	if ((key & 7) == BYTES && !wire_varint(wire, &len))
		return -EBADMSG;
	if (((key & 7) != BYTES && (key & 7) != FIXED64 && (key & 7) != FIXED32) ||
	    len > (uint64_t)(wire->end - wire->at))
		return -EBADMSG;
	if ((key & 7) == BYTES)
		ret->part = (struct wire){ wire->at, wire->at + len };
	wire->at += len;
	return 1;
}

/* The numbers of a repeated field, which is one number or many packed ones. Returns 1, 0: there is
 * no further one, -EBADMSG. @first: false from the second on */
static inline int wire_number(struct wire_field *field, bool first, uint64_t *ret)
{
	if (field->part.at) {
		if (field->part.at == field->part.end)
			return 0;
		return wire_varint(&field->part, ret) ? 1 : -EBADMSG;
	}
	*ret = field->value;
	return first;
}

#endif
