/* SPDX-License-Identifier: MIT */
/* What `perf stat` of perf 7 counts and shows without -e, in its words. */
#ifndef CLI_STAT_COMPAT_H
#define CLI_STAT_COMPAT_H

#include <stdbool.h>

/* A metric that is shown beside one of the default events. */
struct compat_metric {
	const char *name;
	int detailed;      /* how many times -d has to be given */
	const char *owner; /* the event it is shown beside; NULL: the first one of its formula */
	const char *unit;  /* perf's; NULL: that of the metric's file */
	const char *group; /* it has a line of this name in place of an event's; NULL: none */
	bool is_always;    /* it is shown if it cannot be counted, too */
};

/* In the order of the rows, except those of the kernel's events, which are ordered by name. The
 * last one has no name. */
extern const struct compat_metric compat_metrics[];

/* The one of a name. Returns NULL if there is none. */
const struct compat_metric *compat_metric_find(const char *name);

#endif
