/* SPDX-License-Identifier: MIT */
/* What is measured of each run: times, memory, each row that stat would print, and metrics (-M). */
#ifndef CLI_COMPARE_RUN_METRICS_H
#define CLI_COMPARE_RUN_METRICS_H

#include "stat/run/run.h"
#include "stat/table/stat-table.h"

enum metric_kind { METRIC_SECONDS, METRIC_BYTES, METRIC_COUNT };

enum { METRIC_WALL, METRIC_USER, METRIC_SYSTEM, METRIC_MAX_RSS, METRIC_NR_FIXED };

struct metric {
	char *name;
	char *unit;   /* of an event or a metric; "" */
	char *reason; /* why it was not known in some run; NULL: it was, or there is none */
	enum metric_kind kind;
	bool is_time; /* less of it is faster */
	int source;   /* row of the table, or after these a metric by name */
};

struct metrics {
	struct metric *at;
	size_t nr;
	uint64_t least_rss_bytes; /* a run that seems to need this or less may need less */
	struct xp_aggr *aggr;
	struct stat_table table;
	bool is_planned;
	size_t nr_multiplexed; /* counts of runs that are estimates, because events took turns */
};

/* Plans the rows of the events, once they are open. Returns 0 or a negative errno with @diag
 * filled.
 */
int metrics_plan(struct metrics *metrics, const struct stat_job *job, struct xp_diag *diag);
/* Fills values[0 … nr - 1] with what a run gave; NAN: not known. */
void metrics_read(struct metrics *metrics, const struct stat_result *result, double *values);
void metrics_fini(struct metrics *metrics);

/* The unit of the values, for machines: "s", "byte", an event's; "" */
const char *metric_unit(const struct metric *metric);
/* The position of a metric by its name; -1: there is none. */
int metrics_find(const struct metrics *metrics, const char *name);

#endif
