/* SPDX-License-Identifier: MIT */
/* "--time": spans of a recording, in seconds or as shares of it. */
#ifndef RECORDING_TIMES_H
#define RECORDING_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct xp_diag;

/* Both ends are part of it. Percent: only until they are known in nanoseconds. */
struct time_span {
	double from_percent, to_percent;
	uint64_t from_ns, to_ns;
};

/* Zeroed: --time was not given. */
struct time_spans {
	struct time_span *at;
	int nr;
	bool need_bounds; /* the first and the last sample must be known */
};

/*
 * Parses "A,B", where either may be missing, in seconds; "10%/2" or "0%-20%"; several of them,
 * separated by blanks or, with percent, by commas. NULL or "": nothing. Returns 0, or a negative
 * errno with @diag filled.
 */
int times_parse(const char *text, struct time_spans *spans, struct xp_diag *diag);
/* @first_ns, @last_ns: of the samples. */
void times_set_bounds(struct time_spans *spans, uint64_t first_ns, uint64_t last_ns);
/* Whether a time is in one of the spans; XP_NO_TIME is in none. */
bool times_have(const struct time_spans *spans, uint64_t time_ns);
/* How much of a time, @to_ns not before @from_ns, is in the spans; @ret_from_ns: where that begins,
 * set if it is not 0. */
uint64_t times_within(const struct time_spans *spans, uint64_t from_ns, uint64_t to_ns,
		      uint64_t *ret_from_ns);
void times_fini(struct time_spans *spans);

#endif
