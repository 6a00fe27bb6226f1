/* SPDX-License-Identifier: MIT */
/*
 * Offsets within samples, from an event's attribute.
 *
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#include "sample-layout.h"

#include <string.h>
#include <xperf/attr.h>
#include <xperf/sample.h>

#include "cleanup.h"

/* What lies before the call chain, one word each, and where its offset goes. */
static const struct {
	uint64_t bit;
	size_t place; /* in struct sample_layout; 0: nowhere */
} words[] = {
	{ XP_SAMPLE_IDENTIFIER, 0 },
	{ XP_SAMPLE_IP, offsetof(struct sample_layout, ip) },
	{ XP_SAMPLE_TID, offsetof(struct sample_layout, tid) },
	{ XP_SAMPLE_TIME, offsetof(struct sample_layout, time) },
	{ XP_SAMPLE_ADDR, 0 },
	{ XP_SAMPLE_ID, 0 },
	{ XP_SAMPLE_STREAM_ID, 0 },
	{ XP_SAMPLE_CPU, offsetof(struct sample_layout, cpu) },
	{ XP_SAMPLE_PERIOD, offsetof(struct sample_layout, period) },
};

/* One word each, behind all else. */
static const uint64_t last_words = XP_SAMPLE_WEIGHTS | XP_SAMPLE_DATA_SRC | XP_SAMPLE_TRANSACTION |
				   XP_SAMPLE_PHYS_ADDR | XP_SAMPLE_CGROUP |
				   XP_SAMPLE_DATA_PAGE_SIZE | XP_SAMPLE_CODE_PAGE_SIZE;

struct sample_layout xp_sample_layout(const struct xp_attr *attr)
{
	uint64_t type = attr->sample_type,
		 known = XP_SAMPLE_READ | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_RAW;
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
	if (type & XP_SAMPLE_READ)
		at += WORD *
		      (size_t)(1 + __builtin_popcountll(format & (XP_FORMAT_TOTAL_TIME_ENABLED |
								  XP_FORMAT_TOTAL_TIME_RUNNING |
								  XP_FORMAT_ID | XP_FORMAT_LOST)));
	if (type & XP_SAMPLE_CALLCHAIN) {
		layout.chain = (uint8_t)at;
		at += WORD;
	}
	if (type & XP_SAMPLE_RAW) {
		layout.raw = (uint8_t)at;
		at += WORD;
	}
	at += WORD * (size_t)__builtin_popcountll(type & last_words);
	layout.bytes = (uint16_t)at;
	layout.is_known = !(type & ~(known | last_words)) &&
			  !(type & XP_SAMPLE_READ && format & XP_FORMAT_GROUP);
	return layout;
}
