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

#endif
