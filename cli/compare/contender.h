/* SPDX-License-Identifier: MIT */
/* The commands that are compared: what is run, and what was measured of it. */
#ifndef CLI_COMPARE_CONTENDER_H
#define CLI_COMPARE_CONTENDER_H

#include "config.h"

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

	/* by run, then metric: see metrics.h */
	double *values;
	int *statuses; /* by run: the exit status */
	size_t nr_runs;
};

struct contenders {
	struct contender *at; /* the first is what the others are compared with */
	size_t nr;
};

/*
 * Makes the commands of @config: each with each combination of parameters. Returns 0 or a negative
 * errno with @diag filled; contenders_fini() follows in any case.
 */
int contenders_init(struct contenders *contenders, const struct compare_config *config,
		    struct xp_diag *diag);
void contenders_fini(struct contenders *contenders);

#endif
