/* SPDX-License-Identifier: MIT */
/* What the files of `xperf list` share. */
#ifndef CLI_LIST_LIST_H
#define CLI_LIST_LIST_H

#include <stdbool.h>
#include <stdio.h>
#include <xperf/list.h>

#include "json-numbers.h"

struct xp_ctx;
struct xp_diag;
struct xp_metric_def;
struct xp_metric_group;
struct xp_metric_info;

enum { LIST_REASONS = 8 };

/* What is shown of each event, and where. */
struct list_output {
	FILE *file;
	bool desc, details, color;
	bool as_perf; /* events that this machine cannot count, and reasons, are left out */
	int nr;       /* events shown so far */
	struct xp_ctx *ctx;
	char pmu[64]; /* of the event shown last */
	/* Reasons that were shown, so that many events need not repeat them. */
	char reasons[LIST_REASONS][256];
	int nr_reasons;
	struct sink sink; /* of JSON, into @file */
	struct json json;
};

/* One form of the result. */
struct list_format {
	void (*start)(struct list_output *out);
	void (*event)(struct list_output *out, const struct xp_event_info *event);
	/* @state and @reason: of the event it needs that is the hardest to count */
	void (*metric)(struct list_output *out, const struct xp_metric_info *metric,
		       enum xp_event_state state, const char *reason);
	/* Of a file; likewise. */
	void (*named_metric)(struct list_output *out, const struct xp_metric_def *def,
			     enum xp_event_state state, const char *reason);
	/* What comes before groups of metrics, and one of them. */
	void (*groups)(struct list_output *out);
	void (*group)(struct list_output *out, const struct xp_metric_group *group);
	void (*end)(struct list_output *out);
};

extern const struct list_format list_text;
extern const struct list_format list_names; /* in one line, for completion */
extern const struct list_format list_json;

/*
 * Which events a word of the command line asks for.
 * @kinds:   as in struct xp_list_opts
 * @pattern: shell pattern for the names; "": all
 */
struct selection {
	unsigned int kinds;
	bool metrics, metric_groups; /* no events, but these */
	char pattern[256];
};

/* Understands a word. */
void selection_make(const char *word, struct selection *ret);
/* True if an event of the selected kinds is meant. */
bool selection_has(const struct selection *selection, const struct xp_event_info *event);
/*
 * True if a PMU is meant by the name or pattern of --unit: "uncore_imc", "imc" and "uncore_imc_*"
 * mean uncore_imc_0.
 */
bool selection_is_unit(const char *unit, const char *pmu);

/* Lists the metrics that stat prints beside events. Returns 0 or a negative errno (metrics.c). */
int metrics_list(struct xp_ctx *ctx, const struct list_format *format, struct list_output *out);

/* List the metrics of files, and their groups. Return 0 or a negative errno (named.c). */
int named_metrics_list(struct xp_ctx *ctx, const struct list_format *format,
		       struct list_output *out, struct xp_diag *diag);
int metric_groups_list(struct xp_ctx *ctx, const struct list_format *format,
		       struct list_output *out, struct xp_diag *diag);

#endif
