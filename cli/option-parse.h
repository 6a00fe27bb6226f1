/* SPDX-License-Identifier: MIT */
/* Values that options of several commands have. Each returns 0, or -1 after printing one sentence;
 * @negated as for option_fn. */
#ifndef CLI_OPTION_PARSE_H
#define CLI_OPTION_PARSE_H

#include <stdbool.h>

struct option;

/* "0.5", "5%": from 0 to 100; 0 if it is negated. */
int option_percent(const struct option *option, const char *arg, bool negated, double *ret_percent);
/* "always", "never", "auto": whether standard output is coloured. */
int option_color(const struct option *option, const char *arg, bool negated, bool *ret_color);
/* What percentages of annotated code are of. @text: in words */
struct percent_type {
	const char *name, *text;
	bool is_global; /* of all samples, not of those of the function */
	bool of_hits;   /* of their number, not of their period */
};

/* Without a value, and negated: of the period of the function. */
extern const struct percent_type percent_types[];
int option_percent_type(const struct option *option, const char *arg, bool negated,
			const struct percent_type **ret_type);

/* True if @word is one of @words, which are separated by "|". */
bool option_is_one_of(const char *word, const char *words);
/* What changes nothing here, to the values that the option has: "n" is a number, "a|b" one of these
 * words, and others are any text. */
int option_ignore(const struct option *option, const char *arg, bool negated, void *values);
/* What is not here; the row is hidden, and its help is the reason. */
int option_refuse(const struct option *option, const char *arg, bool negated, void *values);

/* Keeps the option's name at its offset, a const char *; negated: NULL. */
int option_note(const struct option *option, const char *arg, bool negated, void *values);

#endif
