/* SPDX-License-Identifier: MIT */
/* Values of the options of `xperf annotate`. Each as option_fn. */
#ifndef ANNOTATE_OPTION_VALUES_H
#define ANNOTATE_OPTION_VALUES_H

#include <stdbool.h>

struct option;

int annotate_style(const struct option *option, const char *arg, bool negated, void *data);
int annotate_percent_type(const struct option *option, const char *arg, bool negated, void *data);
int annotate_limit(const struct option *option, const char *arg, bool negated, void *data);
int annotate_color(const struct option *option, const char *arg, bool negated, void *data);
int annotate_tui(const struct option *option, const char *arg, bool negated, void *data);
int annotate_view(const struct option *option, const char *arg, bool negated, void *data);

#endif
