/* SPDX-License-Identifier: MIT */
/* --filter and --exclude-perf: conditions for the tracepoints and probes of the -e before them. */
#ifndef CLI_STAT_FILTER_H
#define CLI_STAT_FILTER_H

#include <xperf/evlist.h>

#include "options.h"

struct stat_config;

/* One condition, and which -e it belongs to. */
struct stat_filter {
	int event;
	char *text;
};

/* Take one occurrence of the options (see option_fn). */
int stat_take_filter(const struct option *option, const char *arg, bool negated, void *values);
int stat_take_exclude_perf(const struct option *option, const char *arg, bool negated,
			   void *values);

/*
 * Gives the conditions of the @event-th -e to its tracepoints, which are in the list from position
 * @first on. Returns 0, or a negative errno with @diag filled.
 */
int stat_filters_apply(const struct stat_config *config, int event, struct xp_evlist *evlist,
		       int first, struct xp_diag *diag);

void stat_filters_fini(struct stat_config *config);

#endif
