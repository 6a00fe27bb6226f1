/* SPDX-License-Identifier: MIT */
/* The inside of a set of metrics. */
#ifndef METRIC_DEFS_IMPL_H
#define METRIC_DEFS_IMPL_H

#include <xperf/metric.h>

/* The fields of a metric in a file; the first one begins it. */
enum field {
	FIELD_METRIC,
	FIELD_GROUPS,
	FIELD_BRIEF,
	FIELD_EVENTS,
	FIELD_FORMULA,
	FIELD_UNIT,
	FIELD_THRESHOLD,
	FIELD_TEXT,
	NR_FIELDS,
};

struct metric_field {
	const char *name;
	bool is_required;
};

extern const struct metric_field xp_metric_fields[NR_FIELDS];

/* A metric, with the memory of its texts. */
struct metric {
	struct xp_metric_def def;
	char *values[NR_FIELDS]; /* NULL: not in the file */
	struct xp_formula *formula;
	struct xp_formula *threshold;
	char *origin;
	char *groups;
};

struct group {
	struct xp_metric_group shown;
	char *name;
	char *text; /* NULL: none */
};

struct xp_metric_defs {
	struct metric **at;
	int nr;
	struct group **groups;
	int nr_groups;
};

void xp_metric_free(struct metric *metric);
/*
 * Fills metric->def from its texts; @defs: of the file, gets the groups it names. Returns 0, or a
 * negative errno with @diag filled.
 */
int xp_metric_complete(struct metric *metric, struct xp_metric_defs *defs, const char *origin,
		       struct xp_diag *diag);
/* The group of a name, made if there is none yet. Returns NULL without memory. */
struct group *xp_metric_group_get(struct xp_metric_defs *defs, const char *name, size_t len);

/* The next of several words with blanks between them: its length, and *at moved to it. 0: no more.
 */
size_t xp_metric_word(const char **at);

#endif
