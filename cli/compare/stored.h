/* SPDX-License-Identifier: MIT */
/*
 * Runs that were measured and stored before: what --export-json wrote, or what hyperfine did, which
 * is a part of it.
 */
#ifndef CLI_COMPARE_STORED_H
#define CLI_COMPARE_STORED_H

#include <stdbool.h>
#include <stddef.h>

struct xp_diag;

/* Bounds of what is read. */
enum {
	STORED_BYTES_MAX = 16 << 20,
	STORED_RESULTS_MAX = 1000,
	STORED_RUNS_MAX = 100000, /* of one command */
	STORED_DEPTH_MAX = 16,
	STORED_NODES_MAX = 100000, /* objects and lists */
};

/* One metric. */
struct stored_series {
	char *name;
	char *unit;     /* as metric_unit() has it */
	double *values; /* by run; NAN: not known */
};

/* One command. */
struct stored_run {
	char *command; /* as it was typed */
	char *name;    /* what it was called */
	size_t nr_runs;
	struct stored_series *series;
	size_t nr_series;
	bool in_turns; /* with the others of the file that are so: their runs are pairs */
};

struct stored_runs {
	struct stored_run *at;
	size_t nr;
	char *host; /* the machine; NULL: not known */
};

/* Reads a file. Returns 0 or a negative errno with @diag filled; stored_fini() follows in any case.
 */
int stored_read(struct stored_runs *runs, const char *path, struct xp_diag *diag);
void stored_fini(struct stored_runs *runs);

/*
 * The same from text (jsonc.c, where the build has json-c): -EBADMSG: that is no JSON, or no stored
 * run; -ENOSYS: without json-c. The sentence names no file.
 */
int stored_parse(struct stored_runs *runs, const char *text, size_t len, struct xp_diag *diag);

/* The values of a metric, or NULL. */
const double *stored_find(const struct stored_run *run, const char *name, const char *unit);

#endif
