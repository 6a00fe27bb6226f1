/* SPDX-License-Identifier: MIT */
/* Words for values of events: a table ends with a row without text. */
#ifndef EVSEL_BRANCH_WORDS_H
#define EVSEL_BRANCH_WORDS_H

#include <xperf/api.h>

struct xp_word {
	const char *text;
	uint64_t value;
};

/* Bits of branch_sample_type. */
extern const struct xp_word xp_branch_words[];

#endif
