/* SPDX-License-Identifier: MIT */
/* The side band on its way, for those who need it at once: one pass over all rings, in order. */
#ifndef SESSION_RECORDER_BAND_H
#define SESSION_RECORDER_BAND_H

#include <stdbool.h>
#include <stddef.h>
#include <xperf/recorder.h>

#include "cpu-share.h"

struct xp_shed;

/* Where a record is in the bytes. */
struct xp_band_record {
	uint64_t time_ns;
	size_t at;
};

/* Of the reader's thread. Zero-initialised, nobody listens. */
struct xp_band_pass {
	struct xp_band listener;
	struct cpu_share share; /* of the reader */
	char *bytes;
	size_t len, bytes_room;
	struct xp_band_record *records;
	size_t nr, room;
	bool is_due; /* what came after the last pass began is not known to be complete */
};

/* Keeps what is of interest in whole records. */
void xp_band_collect(struct xp_band_pass *pass, const struct xp_shed *events, const char *records,
		     size_t len);
/* All rings have been read since @began_ns. */
void xp_band_end_pass(struct xp_band_pass *pass, uint64_t began_ns);
/*
 * Each record that a listener waits for wakes the reader. If that took more than the listener's
 * share of a CPU, the reader pauses, and has many records to read then.
 * @now_ns:     the time
 * @spent_ns:   CPU time of the reader
 * @ring_bytes: of the smallest ring: half of it must not become full meanwhile
 * Returns nanoseconds; 0: it does not.
 */
uint64_t xp_band_pause(struct xp_band_pass *pass, uint64_t now_ns, uint64_t spent_ns,
		       size_t ring_bytes);
void xp_band_fini(struct xp_band_pass *pass);

#endif
