/* SPDX-License-Identifier: MIT */
/* The commands that are compared: what is run, and what was measured of it. */
#ifndef CLI_COMPARE_CONTENDER_H
#define CLI_COMPARE_CONTENDER_H

#include "config.h"
#include "stored.h"

/* A parameter of a sweep and one of its values. */
struct parameter {
	char *name;
	char *value;
};

/* One command, with one value of each parameter. */
struct contender {
	char *name; /* what it is called */
	char *text; /* as it was typed, with the values; of a list of arguments: joined by blanks */
	char **argv; /* NULL-terminated; one block */
	struct parameter *parameters;
	size_t nr_parameters;
	char *setup, *prepare, *conclude, *cleanup; /* NULL: none */
	const struct stored_run *stored; /* its runs, which were made before; NULL: it is run */

	/* by run, then metric: see metrics.h */
	double *values;
	int *statuses; /* by run: the exit status; NULL: not known, or none */
	size_t nr_runs;
};

enum { CONTENDERS_MAX = 1000 };

struct contenders {
	struct contender *at; /* the first is what the others are compared with */
	size_t nr;
	size_t nr_stored;          /* the first ones */
	struct stored_runs stored; /* what they are of */
};

/*
 * Makes the commands of @config: stored ones, then each other one with each combination of
 * parameters. Returns 0 or a negative errno with @diag filled; contenders_fini() follows in any
 * case.
 */
int contenders_init(struct contenders *contenders, const struct compare_config *config,
		    struct xp_diag *diag);
void contenders_fini(struct contenders *contenders);

/* The stored commands of @config; of contenders_init(). */
int contenders_import(struct contenders *contenders, const struct compare_config *config,
		      struct xp_diag *diag);

/* The first command that is run and compared with another one. */
static inline size_t contenders_first_judged(const struct contenders *contenders)
{
	return contenders->nr_stored ? contenders->nr_stored : 1;
}

#endif
