/* SPDX-License-Identifier: MIT */
/* Where `xperf stat` prints: stderr, a file, or an open descriptor. */
#ifndef CLI_STAT_OUTPUT_H
#define CLI_STAT_OUTPUT_H

#include <stdio.h>

#include "stat-config.h"
#include "stat-table.h"

/*
 * Opens the output, unbuffered. Text and CSV in a file of their own begin with a line that
 * has the date; JSON does not, so that the file is JSON throughout.
 * Returns 0 or a negative errno with @diag filled.
 */
int stat_output_open(const struct stat_config *config, FILE **ret_out, struct xp_diag *diag);

/* How the options want tables to be written. */
void stat_style_init(struct stat_style *style, const struct stat_config *config, FILE *out);

/* What the counts are "for", as perf words it; the caller's to free. NULL: out of memory. */
char *stat_make_title(const struct stat_config *config);

/* With -v: what was read, before anything is computed. Machines that read CSV or JSON get nothing
 * else into their file. */
void stat_print_raw(const struct stat_style *style, const struct xp_evlist *evlist,
		    const struct xp_counts *counts);

/* What there is to say of a command that was asked to end and has not. */
void stat_say_left_running(const struct stat_config *config);
/* Prints below a text that the command mostly waited. */
void stat_say_waits(const struct stat_config *config, const struct stat_table *table);

/* Closes the output. Returns 0, or -errno with @diag filled if something was lost. */
int stat_output_close(FILE *out, struct xp_diag *diag);

#endif
