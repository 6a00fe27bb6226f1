/* SPDX-License-Identifier: MIT */
/*
 * Where in a sample's record that is which nearly all who count samples want, found out once per
 * event. Only of events whose samples have few parts of varying length; the others, and records
 * that do not fit, are for xp_sample_decode().
 */
#ifndef SESSION_SAMPLE_LAYOUT_H
#define SESSION_SAMPLE_LAYOUT_H

#include <string.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "sample-bits.h"

/* Offsets in bytes from the start of the record; 0: it is not recorded. */
struct sample_layout {
	bool is_known;
	uint8_t ip, tid, time, cpu, period;
	uint8_t chain, raw; /* @raw: where it would be if the chain were empty */
	uint16_t bytes;     /* of the record, but for what is in the chain and in the raw data */
	uint64_t fixed_period;
};

struct sample_layout xp_sample_layout(const struct xp_attr *attr);

/* What is decoded of a sample. */
struct sample_head {
	int32_t pid, tid, cpu;
	uint32_t mode; /* of the processor */
	uint64_t ip, time_ns, period;
	const uint64_t *callchain;
	size_t nr_callchain;
	bool is_unwound; /* the chain was not recorded: it is from a copy of the stack */
};

static inline uint64_t xp_sample_word(const struct xp_record *record, uint8_t offset,
				      uint64_t otherwise)
{
	uint64_t word = otherwise;

	if (offset)
		memcpy(&word, (const uint8_t *)record + offset, sizeof(word));
	return word;
}

/* Whether chain and raw data fit; the record is long enough for all else. */
static inline bool xp_sample_fits(const struct sample_layout *layout,
				  const struct xp_record *record, uint64_t nr_callchain)
{
	uint64_t left = record->size - layout->bytes;

	if (nr_callchain > left / WORD)
		return false;
	if (!layout->raw)
		return true;
	left -= nr_callchain * WORD;
	const uint8_t *raw = (const uint8_t *)record + layout->raw + nr_callchain * WORD;
	uint32_t len;
	memcpy(&len, raw, sizeof(len));
	/* The length and the first four bytes are one word. */
	return (len + sizeof(len) + WORD - 1) / WORD - 1 <= left / WORD;
}

/* Returns false if the record does not fit its event, or the layout is not known. */
static inline bool xp_sample_head(const struct sample_layout *layout,
				  const struct xp_record *record, struct sample_head *ret_head)
{
	if (!layout->is_known || record->size < layout->bytes)
		return false;
	uint64_t pair = xp_sample_word(record, layout->tid, UINT64_MAX);
	uint64_t nr = xp_sample_word(record, layout->chain, 0);

	if ((layout->chain || layout->raw) && !xp_sample_fits(layout, record, nr))
		return false;
	*ret_head = (struct sample_head){
		.pid = (int32_t)pair,
		.tid = (int32_t)(pair >> 32),
		.cpu = (int32_t)xp_sample_word(record, layout->cpu, UINT64_MAX),
		.mode = record->misc & XP_MISC_CPUMODE_MASK,
		.ip = xp_sample_word(record, layout->ip, 0),
		.time_ns = xp_sample_word(record, layout->time, XP_NO_TIME),
		.period = xp_sample_word(record, layout->period, layout->fixed_period),
		.callchain =
			nr ? (const void *)((const uint8_t *)record + layout->chain + WORD) : NULL,
		.nr_callchain = (size_t)nr,
	};
	return true;
}

#endif
