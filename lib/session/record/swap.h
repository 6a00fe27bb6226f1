/* SPDX-License-Identifier: MIT */
/* Bytes of a recording made on a machine of the other byte order. */
#ifndef SESSION_SWAP_H
#define SESSION_SWAP_H

#include <string.h>
#include <xperf/api.h>

struct xp_attr;
struct xp_record;

/* Integers at any address, swapped if @swapped. */
static inline uint16_t load_u16(const void *at, bool swapped)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t load_u32(const void *at, bool swapped)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t load_u64(const void *at, bool swapped)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swapped ? __builtin_bswap64(value) : value;
}

/* An attribute of @len bytes, which is cut to what is known, or extended with zeros. */
void xp_attr_load(const void *bytes, size_t len, bool swapped, struct xp_attr *ret_attr);

/* Turns a record of a known type but SAMPLE, whose header is in this machine's order already.
 * @attr: of any event, for the trailer; may be NULL. */
void xp_record_swap(struct xp_record *record, const struct xp_attr *attr);

/* Turns the body of a sample as if it were nothing but u64: enough to find out its event. */
void xp_sample_swap_words(struct xp_record *record);
/* Completes it, as that event's. */
void xp_sample_swap_parts(struct xp_record *record, const struct xp_attr *attr);

#endif
