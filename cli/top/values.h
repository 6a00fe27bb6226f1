/* SPDX-License-Identifier: MIT */
/* The options of `xperf top`: how to record, and what to show. */
#ifndef TOP_VALUES_H
#define TOP_VALUES_H

#include "options.h"
#include "report.h"

enum { MOST_RECORD_ARGS = 128 };

struct top_values {
	struct values report; /* first: options of report are given the whole */
	char *record[MOST_RECORD_ARGS +
		     1]; /* arguments of the command record; each is to be freed */
	int nr_record;
	int delay_s, entries, refreshes;
	bool zero, ignored;
};

extern const struct option top_options[];

/* Adds an argument for the command record. Returns 0 or -ENOMEM, -E2BIG. */
int top_record(struct top_values *values, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
