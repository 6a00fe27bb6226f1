/* SPDX-License-Identifier: MIT */
/*
 * All that was counted as one JSON document, --json=v1; data/stat-v1.schema.json describes it.
 * Intervals and runs are written when they have ended, so that it grows while stat runs.
 */
#ifndef CLI_STAT_DOCUMENT_H
#define CLI_STAT_DOCUMENT_H

#include <stdio.h>

#include "about.h"
#include "json-numbers.h"
#include "run.h"
#include "stat-table.h"

struct document {
	const struct stat_about *about;
	uint64_t least_rss_bytes; /* that every process is accounted */
	struct sink out;
	struct json json;
	bool is_begun, in_run;
	int nr_runs; /* that have begun */
};

/* How measuring ended. */
struct document_end {
	const struct stat_table *table; /* of all runs; NULL: nothing was opened */
	int signal;                     /* that ended it; 0: none */
	const char *error;              /* why it failed; NULL: it did not */
};

/* @about and @out are borrowed. Nothing is written yet. */
void document_init(struct document *doc, const struct stat_about *about, FILE *out);
/* Each adds what has ended. Return 0 or a negative errno. */
int document_interval(struct document *doc, const struct stat_table *table, uint64_t length_ns);
int document_run(struct document *doc, const struct stat_table *table,
		 const struct stat_result *result);
int document_end(struct document *doc, const struct document_end *end);
/* Also of one that is zeroed, or was ended. */
void document_fini(struct document *doc);

/* document-rows.c: the members that all tables have. */
struct document_rows {
	const struct stat_table *table; /* NULL: there is nothing */
	bool without_counts;
	bool is_summary; /* of means, not of raw counts */
};
void document_put_rows(const struct document_rows *rows, struct json *json);
/* The events of a list, as they are known at the end. */
void document_put_events(const struct stat_table *table, struct json *json);

#endif
