/* SPDX-License-Identifier: MIT */
/* Sums of one event, on their way to samples. */
#ifndef BPF_STACK_RECORDS_H
#define BPF_STACK_RECORDS_H

#include <xperf/record.h>

#include "stack-sums-impl.h"

/* The markers of two parts beside their frames. */
enum { STACK_RECORD_CHAIN = 2 * (STACK_FRAMES_MAX + 1) };

/* @fn, @data: set before, where samples go. Else zero-initialised there are no ids. */
struct stack_records {
	xp_record_fn fn;
	void *data;
	struct xp_stack_sums *sums; /* whose chains have been read */
	const struct xp_evsel *evsel;
	struct xp_event_id *ids, *waking_ids;
	int nr_ids, nr_waking_ids;
	uint64_t chain[STACK_RECORD_CHAIN];
	unsigned char waking[WAKING_BYTES];
	_Alignas(8) char record[(STACK_RECORD_CHAIN + 32) * sizeof(uint64_t) + WAKING_BYTES];
};

/* Of one event from now on. Returns 0 or a negative errno; xp_stack_records_end() follows. */
int xp_stack_records_begin(struct stack_records *records, struct xp_stack_sums *sums,
			   const struct program *program);
void xp_stack_records_end(struct stack_records *records);

/* Hands over the sample of a sum, with that of its waker in front. Returns 0, -ENOMEM, or what @fn
 * returned. */
int xp_stack_records_write(struct stack_records *records, const struct stack_key *key,
			   const struct stack_sum *sum);

/* Hands over LOST_SAMPLES. Returns what @fn returned. */
int xp_stack_records_lose(struct stack_records *records, uint64_t lost);

#endif
