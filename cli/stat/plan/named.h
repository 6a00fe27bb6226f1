/* SPDX-License-Identifier: MIT */
/* Metrics by name (-M, --topdown): which events they need, and their values. */
#ifndef CLI_STAT_NAMED_H
#define CLI_STAT_NAMED_H

#include <xperf/api.h>

#include "metrics.h"
#include "stat-config.h"

struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_evlist;
struct xp_metric_def;
struct xp_metric_defs;

enum { NAMED_UNIT_LEN = 256, NAMED_REASON_LEN = 200 };

/* An event that a metric needs. */
struct named_event {
	char *name; /* as in its formula */
	int item;   /* while events are planned: which group or single event it is in */
	int event;  /* position in the list of events */
};

/* A metric, of one set of events: with --for-each-cgroup there are several. */
struct named_metric {
	const struct xp_metric_def *def;
	struct named_event *events;
	int nr_events;
	int owner;                 /* position of the event it is shown beside */
	int nr_owners;             /* it and those behind it: the event of several PMUs */
	const char *group;         /* it is shown under this name, not the event's; NULL: none */
	char unit[NAMED_UNIT_LEN]; /* as shown: "faults/sec  page_faults_per_second" */
};

struct named_metrics {
	struct xp_metric_defs *defs;
	struct metric_machine machine;
	struct xp_cpus *cpus; /* that are counted; NULL: tasks are */
	struct metric_choices choices;
	struct named_metric *at;
	int nr;
	bool has_thresholds; /* they are evaluated */
	bool is_default;     /* they are those of perf 7's default events, see compat.h */
	struct xp_metric_def *rescaled; /* by choice: those with perf 7's unit */
};

/*
 * Finds out what the options mean on this machine. Returns 0, or a negative errno with @diag
 * filled; in any case named_metrics_fini() follows.
 */
int named_metrics_init(struct named_metrics *named, struct xp_ctx *ctx,
		       const struct stat_config *config, struct xp_diag *diag);
/* Appends the events of all metrics to a list. Returns likewise. */
int named_metrics_plan(struct named_metrics *named, const struct stat_config *config,
		       struct xp_evlist *evlist, struct xp_diag *diag);
void named_metrics_fini(struct named_metrics *named);

enum named_threshold { THRESHOLD_NONE, THRESHOLD_GOOD, THRESHOLD_BAD, THRESHOLD_UNKNOWN };

/* What a metric is in one row. */
struct named_value {
	bool is_known;
	double value; /* in its unit */
	enum named_threshold threshold;
	char reason[NAMED_REASON_LEN]; /* why it is not known */
};

/*
 * The value of one metric. @total: gives the count of the event at a position, in the unit that
 * formulas have, or fails with the reason in @diag.
 */
void named_value(const struct named_metrics *named, const struct named_metric *metric,
		 int (*total)(int event, double *ret_value, struct xp_diag *diag, void *data),
		 void *data, struct named_value *ret);

#endif
