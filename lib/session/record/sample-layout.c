/* SPDX-License-Identifier: MIT */
/*
 * Offsets within samples, from an event's attribute.
 *
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#include "sample-layout.h"

#include <string.h>

#include "cleanup.h"

/* What lies before the call chain, one word each, and where its offset goes. */
static const struct {
	uint64_t bit;
	size_t place; /* in struct sample_layout; 0: nowhere */
} words[] = {
	{ SAMPLE_IDENTIFIER, 0 },
	{ SAMPLE_IP, offsetof(struct sample_layout, ip) },
	{ SAMPLE_TID, offsetof(struct sample_layout, tid) },
	{ SAMPLE_TIME, offsetof(struct sample_layout, time) },
	{ SAMPLE_ADDR, 0 },
	{ SAMPLE_ID, 0 },
	{ SAMPLE_STREAM_ID, 0 },
	{ SAMPLE_CPU, offsetof(struct sample_layout, cpu) },
	{ SAMPLE_PERIOD, offsetof(struct sample_layout, period) },
};

/* One word each, behind all else. */
static const uint64_t last_words = SAMPLE_WEIGHTS | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION |
				   SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
				   SAMPLE_CODE_PAGE_SIZE;

struct sample_layout xp_sample_layout(const struct xp_attr *attr)
{
	uint64_t type = attr->sample_type, known = SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW;
	uint64_t format = attr->read_format;
	struct sample_layout layout = { .fixed_period = attr->sample_period };
	size_t at = sizeof(struct xp_record);

	for (size_t i = 0; i < XP_ARRAY_LEN(words); i++) {
		known |= words[i].bit;
		if (!(type & words[i].bit))
			continue;
		if (words[i].place)
			((uint8_t *)&layout)[words[i].place] = (uint8_t)at;
		at += WORD;
	}
	if (type & SAMPLE_READ)
		at += WORD *
		      (size_t)(1 + __builtin_popcountll(format & (FORMAT_ENABLED | FORMAT_RUNNING |
								  FORMAT_ID | FORMAT_LOST)));
	if (type & SAMPLE_CALLCHAIN) {
		layout.chain = (uint8_t)at;
		at += WORD;
	}
	if (type & SAMPLE_RAW) {
		layout.raw = (uint8_t)at;
		at += WORD;
	}
	at += WORD * (size_t)__builtin_popcountll(type & last_words);
	layout.bytes = (uint16_t)at;
	layout.is_known =
		!(type & ~(known | last_words)) && !(type & SAMPLE_READ && format & FORMAT_GROUP);
	return layout;
}
