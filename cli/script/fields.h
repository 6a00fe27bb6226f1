/* SPDX-License-Identifier: MIT */
/* What is printed of a sample: fields, by kind of event. */
#ifndef SCRIPT_FIELDS_H
#define SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <xperf/data.h>

/* Bits of a set of fields. */
enum {
	F_COMM = 1 << 0,
	F_TID = 1 << 1,
	F_PID = 1 << 2,
	F_TIME = 1 << 3,
	F_CPU = 1 << 4,
	F_EVENT = 1 << 5,
	F_TRACE = 1 << 6,
	F_IP = 1 << 7,
	F_SYM = 1 << 8,
	F_DSO = 1 << 9,
	F_ADDR = 1 << 10,
	F_SYMOFF = 1 << 11,
	F_PERIOD = 1 << 12,
	F_WEIGHT = 1 << 13,
	F_PHYS_ADDR = 1 << 14,
	F_DATA_PAGE_SIZE = 1 << 15,
	F_CODE_PAGE_SIZE = 1 << 16,
	F_INS_LAT = 1 << 17,
	F_RETIRE_LAT = 1 << 18,
	F_MISC = 1 << 19,
	F_BRSTACK = 1 << 20,
};

/* Kinds of events. The first six are types of perf_event_open(2). */
enum kind {
	KIND_HARDWARE,
	KIND_SOFTWARE,
	KIND_TRACEPOINT,
	KIND_CACHE,
	KIND_RAW,
	KIND_BREAKPOINT,
	KIND_SYNTH,
	KIND_OTHER,
	NR_KINDS,
};

/* What is printed of the events of a kind. */
struct kind_fields {
	uint32_t fields;
	uint32_t asked; /* those the user has named: it is an error if they are not there */
};

struct fields {
	struct kind_fields kind[NR_KINDS];
};

void fields_init(struct fields *fields);
/* Takes in the text of -F. Returns 0, or -1 with the reason in @diag. */
int fields_parse(struct fields *fields, const char *text, struct xp_diag *diag);
enum kind kind_of(const struct xp_attr *attr);
/*
 * Takes away what the events of a recording do not have, but was not asked for. Returns 0, or -1
 * with the reason in @diag.
 */
int fields_fit(struct fields *fields, const struct xp_data *data, bool chains,
	       struct xp_diag *diag);

#endif
