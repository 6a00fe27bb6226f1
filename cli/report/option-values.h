/* SPDX-License-Identifier: MIT */
/* Values of the options of `xperf report`: see option_fn. */
#ifndef REPORT_OPTION_VALUES_H
#define REPORT_OPTION_VALUES_H

#include "options.h"

int report_graph(const struct option *option, const char *arg, bool negated, void *data);
int report_graph_default(const struct option *option, const char *arg, bool negated, void *data);
int report_threshold_default(const struct option *option, const char *arg, bool negated,
			     void *data);
int report_percent_limit(const struct option *option, const char *arg, bool negated, void *data);
int report_color(const struct option *option, const char *arg, bool negated, void *data);
int report_pretty(const struct option *option, const char *arg, bool negated, void *data);
int report_ignore(const struct option *option, const char *arg, bool negated, void *data);
int report_percent_type(const struct option *option, const char *arg, bool negated, void *data);

#endif
