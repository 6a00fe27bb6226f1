/* SPDX-License-Identifier: MIT */
/* Metrics by name: where their files are, which ones are meant, what they need of this machine. */
#ifndef CLI_METRIC_METRICS_H
#define CLI_METRIC_METRICS_H

#include <xperf/formula.h>

struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_metric_def;
struct xp_metric_defs;

/*
 * Reads all files of metrics: xperf's, then the user's. A file that cannot be read is left out,
 * after a warning on stderr. Returns 0, or a negative errno with @diag filled.
 */
int metrics_load(struct xp_metric_defs **ret_defs, struct xp_diag *diag);

/* One that was chosen. */
struct metric_choice {
	const struct xp_metric_def *def;
	bool by_name; /* not by a group or a pattern */
};

struct metric_choices {
	struct metric_choice *at;
	int nr;
};

/* True if the metric is in the group; case does not count. */
bool metric_is_in_group(const struct xp_metric_def *def, const char *group);

/*
 * Adds the metrics that a text means: "insn_per_cycle,Cache,tma_*"; names of metrics and groups,
 * patterns, "all". Each metric is added once. Returns 0, -ENOENT with @diag filled (there is none,
 * with the nearest name), or -ENOMEM.
 */
int metrics_choose(const struct xp_metric_defs *defs, const char *text,
		   struct metric_choices *choices, struct xp_diag *diag);
void metric_choices_fini(struct metric_choices *choices);

/* What is known of an event or a literal on this machine. */
struct metric_fact {
	char *name;
	int err;          /* 0, or why it cannot be counted: -EACCES, -EPERM: it is not permitted */
	double value;     /* of a literal */
	bool is_event;    /* of that name there is one, of whatever machine */
	int nr_events;    /* of the list that stand for it */
	int nr_sources;   /* PMUs that count the event */
	bool always_fits; /* no hardware counter is needed */
	char reason[200];
};

/* Answers are kept: the kernel is asked once for each name. */
struct metric_machine {
	struct xp_ctx *ctx;
	struct xp_cpus *cpus; /* counted ones; NULL: tasks are counted. Borrowed */
	struct metric_fact *facts;
	int nr_facts;
};

/* What there is to know of an event, or, with a '#', of a literal. Returns NULL without memory;
 * valid until the next call. */
const struct metric_fact *metric_fact_of(struct metric_machine *machine, const char *name);
void metric_machine_fini(struct metric_machine *machine);

/* Values that are known before anything is counted: literals, has_event(), source_count(). @data is
 * the machine. */
int metric_known(enum xp_formula_use use, const char *name, double *ret_value, struct xp_diag *diag,
		 void *data);

/*
 * Calls @fn for each event that a metric needs on this machine, also through other metrics, and may
 * do so again. The metric has been checked. Returns 0, or what @fn returned.
 */
int metric_needs(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
		 struct metric_machine *machine, int (*fn)(const char *event, void *data),
		 void *data);

#endif
