/* SPDX-License-Identifier: MIT */
/*
 * Attributes and records of the other byte order turned into this machine's.
 *
 * Nothing is checked here: what a record lacks is not touched. Bit fields are allocated from the
 * other end in the other order, so their bits are mirrored.
 * Source: the layouts of linux/perf_event.h; System V ABI supplements of s390 and x86-64.
 */
#include <xperf/record.h>
#include <xperf/sample.h>

#include "swap.h"

#include "cleanup.h"
#include "record.h"
#include "sample-bits.h"

static void reverse(uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len / 2; i++) {
		uint8_t byte = at[i];

		at[i] = at[len - 1 - i];
		at[len - 1 - i] = byte;
	}
}

/* Bytes of one element of a layout, 0: it is a sign with another meaning. */
static size_t bytes_of(char sign)
{
	return sign == '_'                  ? 8
	       : sign == '.'                ? 1
	       : sign >= '1' && sign <= '8' ? (size_t)(sign - '0')
					    : 0;
}

/* Turns what @layout says, see record.h. Stops where the bytes end. */
static void turn(uint8_t *at, const uint8_t *end, const char *layout)
{
	const char *again = NULL;

	for (const char *sign = layout; *sign; sign++) {
		if (*sign == '~')
			return;
		if (*sign == '(') {
			again = sign;
			continue;
		}
		if (*sign == ')') {
			sign = again;
			continue;
		}
		size_t len = *sign == '*' ? 8 : bytes_of(*sign);
		if (at > end || (size_t)(end - at) < len)
			return;
		if (*sign != '_')
			reverse(at, len);
		at += len;
		if (*sign == '*')
			sign--;
	}
}

static uint8_t mirrored(uint8_t byte)
{
	byte = (uint8_t)((byte & 0xf0) >> 4 | (byte & 0x0f) << 4);
	byte = (uint8_t)((byte & 0xcc) >> 2 | (byte & 0x33) << 2);
	return (uint8_t)((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
}

void xp_attr_load(const void *bytes, size_t len, bool swapped, struct xp_attr *ret_attr)
{
	enum { FLAGS = offsetof(struct xp_attr, read_format) + 8 };
	struct xp_attr attr = { 0 };
	uint8_t *raw = (uint8_t *)&attr;

	memcpy(raw, bytes, len < sizeof(attr) ? len : sizeof(attr));
	if (swapped) {
		turn(raw, raw + sizeof(attr), "448888_4488884484224488888");
		for (size_t i = 0; i < 8; i++)
			raw[FLAGS + i] = mirrored(raw[FLAGS + i]);
		/* The only field of two bits has been mirrored, too. */
		attr.precise_ip = (unsigned int)(attr.precise_ip >> 1 | attr.precise_ip << 1) & 3;
	}
	*ret_attr = attr;
}

/* A set of CPUs: see check_cpus() in record.c. */
static void turn_cpus(uint8_t *at, const uint8_t *end)
{
	enum { NUMBERS, MASK, RANGE };

	if (end - at < 6)
		return;
	turn(at, end, "2");
	switch (load_u16(at, false)) {
	case NUMBERS:
		turn(at + 2, end, "2(2)");
		break;
	case MASK:
		turn(at + 2, end, load_u16(at + 4, true) == 8 ? "22....*" : "22(4)");
		break;
	case RANGE:
		turn(at + 2, end, "..22");
		break;
	default:
		break;
	}
}

static void turn_update(uint8_t *at, const uint8_t *end)
{
	enum { SCALE = 1, CPUS = 3 };

	turn(at, end, "88");
	uint64_t kind = load_u64(at, false);
	if (kind == SCALE)
		turn(at + 16, end, "8");
	else if (kind == CPUS)
		turn_cpus(at + 16, end);
}

/* The attribute in place, as far as it is known, then ids. */
static void turn_attr(uint8_t *at, const uint8_t *end)
{
	uint32_t len = load_u32(at + offsetof(struct xp_attr, size), true);
	struct xp_attr attr;

	if (!len)
		len = XP_ATTR_SIZE_VER0;
	if (len < XP_ATTR_SIZE_VER0 || len > (size_t)(end - at))
		return;
	xp_attr_load(at, len, true, &attr);
	memcpy(at, &attr, len < sizeof(attr) ? len : sizeof(attr));
	turn(at + len, end, "*");
}

static void turn_trailer(uint8_t *at, const uint8_t *end, uint64_t sample_type)
{
	static const struct {
		uint64_t bit;
		const char *layout;
	} parts[] = {
		{ XP_SAMPLE_TID, "44" }, { XP_SAMPLE_TIME, "8" },
		{ XP_SAMPLE_ID, "8" },   { XP_SAMPLE_STREAM_ID, "8" },
		{ XP_SAMPLE_CPU, "44" }, { XP_SAMPLE_IDENTIFIER, "8" },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(parts); i++)
		if (sample_type & parts[i].bit) {
			turn(at, end, parts[i].layout);
			at += WORD;
		}
}

static void turn_body(const struct xp_record *record, uint8_t *at, const uint8_t *end)
{
	switch (record->type) {
	case XP_RECORD_MMAP2:
		turn(at, end, record->misc & XP_MISC_MMAP_BUILD_ID ? "44888___44" : "44888448844");
		break;
	case XP_RECORD_HEADER_ATTR:
		turn_attr(at, end);
		break;
	case XP_RECORD_CPU_MAP:
		turn_cpus(at, end);
		break;
	case XP_RECORD_EVENT_UPDATE:
		turn_update(at, end);
		break;
	default:
		turn(at, end, xp_record_kind(record->type)->layout);
	}
}

void xp_record_swap(struct xp_record *record, const struct xp_attr *attr)
{
	size_t trailer = attr && record->type < FIRST_TOOL_RECORD ? xp_sample_id_bytes(attr) : 0;
	uint8_t *at = (uint8_t *)(record + 1);
	uint8_t *end = (uint8_t *)record + record->size;

	if (record->size < xp_record_kind(record->type)->min + trailer)
		trailer = 0;
	turn_body(record, at, end - trailer);
	if (trailer)
		turn_trailer(end - trailer, end, attr->sample_type);
}
