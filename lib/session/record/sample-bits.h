/* SPDX-License-Identifier: MIT */
/*
 * Bits of an attribute that decide what records hold, as far as Linux defines them today.
 * Source: linux/perf_event.h (Linux 7.2): enum perf_event_sample_format, perf_event_read_format,
 * perf_branch_sample_type.
 */
#ifndef SESSION_SAMPLE_BITS_H
#define SESSION_SAMPLE_BITS_H

#include <xperf/attr.h>

struct xp_record;
struct xp_sample;

#define XP_SAMPLE_WEIGHTS (XP_SAMPLE_WEIGHT | XP_SAMPLE_WEIGHT_STRUCT)

/* What the trailer of a record that is no sample can hold. */
#define XP_SAMPLE_TRAILER                                                                          \
	(XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_ID | XP_SAMPLE_STREAM_ID | XP_SAMPLE_CPU |     \
	 XP_SAMPLE_IDENTIFIER)

enum {
	WORD = 8,                  /* what everything in a record is a multiple of */
	RECORD_BYTES_MAX = 0xfff8, /* the largest multiple its u16 size can say */
	FIRST_TOOL_RECORD = 64,    /* types from here are no kernel's; they have no trailer */
};

/* Words of a reading with @words of room, the first of which is at @first. Returns 0 if they are
 * too few. */
size_t xp_sample_read_words(uint64_t format, const uint64_t *first, size_t words);

/* Decodes only what comes up to RAW, itself included: the rest can be in another byte order.
 * *ret_end is what follows. Returns 0 or -EBADMSG. */
int xp_sample_decode_head(const struct xp_record *record, const struct xp_attr *attr,
			  struct xp_sample *ret_sample, const void **ret_end);

#endif
