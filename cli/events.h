/* SPDX-License-Identifier: MIT */
/*
 * The options that name events: -e, --pfm-events, and those for the -e before them: --filter and
 * --exclude-perf, which are for its tracepoints and probes, and -G. Where samples are recorded,
 * --filter is also for those of an -e without tracepoints and probes.
 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include <xperf/api.h>

#include "options.h"

struct xp_diag;
struct xp_evlist;

/* One -e or --pfm-events. */
struct event_text {
	const char *text;
	bool is_vendor;
};

/* One condition, and which -e it belongs to. */
struct event_filter {
	int event;
	const char *text; /* NULL: what is not done by this process */
};

/* One -G. */
struct event_cgroups {
	int event; /* the last -e before it */
	const char *names;
};

/* What a command line says about events, in order. */
struct event_args {
	struct event_text *texts;
	int nr;
	struct event_filter *filters;
	int nr_filters;
	struct event_cgroups *cgroups;
	int nr_cgroups;
	bool filters_samples; /* set by commands that record them */
};

/* Parse one occurrence of the options (see option_fn); @offset is that of a struct event_args. */
int events_parse(const struct option *option, const char *arg, bool negated, void *values);
int events_parse_filter(const struct option *option, const char *arg, bool negated, void *values);
int events_parse_exclude_perf(const struct option *option, const char *arg, bool negated,
			      void *values);
int events_parse_cgroups(const struct option *option, const char *arg, bool negated, void *values);

/*
 * Appends the events of the @idx-th -e, with their filters and cgroups. *ret_label is what
 * cli_print_diag() calls the text that is wrong. Returns 0, or a negative errno with @diag filled.
 */
int events_add(const struct event_args *args, int idx, struct xp_evlist *evlist,
	       const char **ret_label, struct xp_diag *diag);

void events_fini(struct event_args *args);

#endif
