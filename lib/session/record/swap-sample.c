/* SPDX-License-Identifier: MIT */
/*
 * Samples of the other byte order turned into this machine's.
 *
 * Nearly all of a sample is u64. So it is turned as such first, which also shows the id and with it
 * the event; then what is smaller or has no order is put right: pairs of u32, bytes, bit fields.
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE, struct perf_branch_entry.
 */
#include <xperf/record.h>
#include <xperf/sample.h>

#include "swap.h"

#include "cleanup.h"
#include "sample-bits.h"

static void turn_words(uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i + WORD <= bytes; i += WORD) {
		uint64_t word = load_u64(at + i, true);

		memcpy(at + i, &word, WORD);
	}
}

void xp_sample_swap_words(struct xp_record *record)
{
	turn_words((uint8_t *)(record + 1), record->size - sizeof(*record));
}

/* A word that is two u32. */
static void exchange_halves(struct xp_record *record, uint64_t before)
{
	size_t offset = sizeof(*record) + WORD * (size_t)__builtin_popcountll(before);
	uint32_t pair[2];

	if (offset + sizeof(pair) > record->size)
		return;
	memcpy(pair, (uint8_t *)record + offset, sizeof(pair));
	memcpy((uint8_t *)record + offset, &(uint32_t[]){ pair[1], pair[0] }, sizeof(pair));
}

/* Bytes as they were, at a place in the record; as many as there are. */
static void turn_back(struct xp_record *record, const void *from, uint64_t len)
{
	size_t offset = (size_t)((const uint8_t *)from - (const uint8_t *)record);
	size_t room = record->size - offset;

	len = (len + WORD - 1) & ~(uint64_t)(WORD - 1);
	turn_words((uint8_t *)record + offset, len < room ? (size_t)len : room);
}

static void put_raw_right(struct xp_record *record, const struct xp_attr *attr)
{
	struct xp_attr before = *attr;
	struct xp_sample sample = { .size = sizeof(sample) };
	const void *end;

	before.sample_type &= ~XP_SAMPLE_RAW;
	if (xp_sample_decode_head(record, &before, &sample, &end))
		return;
	uint8_t *at = (uint8_t *)record + ((const uint8_t *)end - (const uint8_t *)record);
	if (at + WORD > (uint8_t *)record + record->size)
		return;
	turn_words(at, WORD);
	uint32_t len = load_u32(at, true);
	memcpy(at, &len, sizeof(len));
	if (len > WORD - sizeof(len))
		turn_back(record, at + WORD, len - (WORD - sizeof(len)));
}

/* Bit fields, the first of which is the lowest here and the highest there. */
static uint64_t flags_of(uint64_t there)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t here = 0;
	unsigned int at = 0;

	for (size_t i = 0; i < XP_ARRAY_LEN(widths); i++) {
		uint64_t field = there >> (64 - at - widths[i]) & ((UINT64_C(1) << widths[i]) - 1);

		here |= field << at;
		at += widths[i];
	}
	return here;
}

void xp_sample_swap_parts(struct xp_record *record, const struct xp_attr *attr)
{
	const uint64_t before_tid = XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP;
	const uint64_t before_cpu = before_tid | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_ADDR |
				    XP_SAMPLE_ID | XP_SAMPLE_STREAM_ID;
	struct xp_sample sample = { .size = sizeof(sample) };

	if (attr->sample_type & XP_SAMPLE_TID)
		exchange_halves(record, attr->sample_type & before_tid);
	if (attr->sample_type & XP_SAMPLE_CPU)
		exchange_halves(record, attr->sample_type & before_cpu);
	if (attr->sample_type & XP_SAMPLE_RAW)
		put_raw_right(record, attr);
	/* What does not fit stays as it is: whoever decodes it will find the same. */
	(void)xp_sample_decode(record, attr, &sample);
	if (sample.stack)
		turn_back(record, sample.stack, sample.stack_len);
	if (sample.aux)
		turn_back(record, sample.aux, sample.aux_len);
	for (size_t i = 0; i < sample.nr_branches; i++) {
		struct xp_branch *branch = (struct xp_branch *)(uintptr_t)&sample.branches[i];

		branch->flags = flags_of(branch->flags);
	}
}
