/* SPDX-License-Identifier: MIT */
/* Numbers and verdicts as the text and the tables for documents have them. */
#ifndef CLI_COMPARE_WORDING_H
#define CLI_COMPARE_WORDING_H

#include "findings.h"

enum { WORDING_LEN = 96 };

/* "A", "B", … "Z", "#27", … */
void word_label(size_t contender, char text[WORDING_LEN]);
/* "10.2 ms", "1.5 MB", "1234" */
void word_value(const struct metric *metric, double value, char text[WORDING_LEN]);
/* "+1.9 %", or a difference with its unit: "+3"; "?" without a bound */
void word_change(const struct metric *metric, bool is_ratio, double change, char text[WORDING_LEN]);
/* "faster", "more", "same within 0.4 %", "unclear, try 60 rounds", "faster (not interleaved)", … */
void word_verdict(const struct findings *f, size_t contender, size_t metric,
		  char text[WORDING_LEN]);
/* One word for machines: "faster", "slower", "less", "more", "same", "unclear"; "unknown" */
const char *verdict_word(const struct findings *f, size_t contender, size_t metric);

#endif
