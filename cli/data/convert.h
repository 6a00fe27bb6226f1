/* SPDX-License-Identifier: MIT */
/* What the parts of `xperf data convert` share. */
#ifndef DATA_CONVERT_H
#define DATA_CONVERT_H

#include <stdio.h>

#include "json-numbers.h"
#include "recording.h"

struct conversion {
	struct recording rec;
	struct json *json;
	struct json *others; /* --all: an array of the records that are no samples; else NULL */
	int64_t to_wall_ns;  /* what is added to times, for --tod */
	uint64_t nr_samples;
};

/* head.c: what the file says of itself, as members of an object. */
void head_write(const struct conversion *conversion);
/* By how much the wall clock was ahead of the times of the recording. Returns 0, or -ENODATA: it
 * was not recorded. */
int head_wall_clock(const struct conversion *conversion, int64_t *ret_ahead_ns);

/* records.c: one of the elements of "samples", and of "events". @position: in the file */
int sample_write(struct conversion *conversion, const struct xp_record *record, uint64_t time_ns,
		 uint64_t position);
void other_write(struct conversion *conversion, const struct xp_record *record, uint64_t time_ns);
/* True if other_write() writes something for it. */
bool other_is_known(uint32_t type);

#endif
