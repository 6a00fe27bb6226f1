/* SPDX-License-Identifier: MIT */
/*
 * Bits of an attribute that decide what records hold, as far as Linux defines them today.
 * Source: linux/perf_event.h (Linux 7.2): enum perf_event_sample_format, perf_event_read_format,
 * perf_branch_sample_type.
 */
#ifndef SESSION_SAMPLE_BITS_H
#define SESSION_SAMPLE_BITS_H

#include <xperf/sample.h>

#define SAMPLE_IP             (UINT64_C(1) << 0)
#define SAMPLE_TID            (UINT64_C(1) << 1)
#define SAMPLE_TIME           (UINT64_C(1) << 2)
#define SAMPLE_ADDR           (UINT64_C(1) << 3)
#define SAMPLE_READ           (UINT64_C(1) << 4)
#define SAMPLE_CALLCHAIN      (UINT64_C(1) << 5)
#define SAMPLE_ID             (UINT64_C(1) << 6)
#define SAMPLE_CPU            (UINT64_C(1) << 7)
#define SAMPLE_PERIOD         (UINT64_C(1) << 8)
#define SAMPLE_STREAM_ID      (UINT64_C(1) << 9)
#define SAMPLE_RAW            (UINT64_C(1) << 10)
#define SAMPLE_BRANCH_STACK   (UINT64_C(1) << 11)
#define SAMPLE_REGS_USER      (UINT64_C(1) << 12)
#define SAMPLE_STACK_USER     (UINT64_C(1) << 13)
#define SAMPLE_WEIGHT         (UINT64_C(1) << 14)
#define SAMPLE_DATA_SRC       (UINT64_C(1) << 15)
#define SAMPLE_IDENTIFIER     (UINT64_C(1) << 16)
#define SAMPLE_TRANSACTION    (UINT64_C(1) << 17)
#define SAMPLE_REGS_INTR      (UINT64_C(1) << 18)
#define SAMPLE_PHYS_ADDR      (UINT64_C(1) << 19)
#define SAMPLE_AUX            (UINT64_C(1) << 20)
#define SAMPLE_CGROUP         (UINT64_C(1) << 21)
#define SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)
#define SAMPLE_WEIGHTS        (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT)

/* What the trailer of a record that is no sample can hold. */
#define SAMPLE_TRAILER                                                                             \
	(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

#define FORMAT_ENABLED (UINT64_C(1) << 0)
#define FORMAT_RUNNING (UINT64_C(1) << 1)
#define FORMAT_ID      (UINT64_C(1) << 2)
#define FORMAT_GROUP   (UINT64_C(1) << 3)
#define FORMAT_LOST    (UINT64_C(1) << 4)

#define BRANCH_CALL_STACK (UINT64_C(1) << 11)
#define BRANCH_HW_INDEX   (UINT64_C(1) << 17)
#define BRANCH_COUNTERS   (UINT64_C(1) << 19)

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
