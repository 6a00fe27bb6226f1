/* SPDX-License-Identifier: MIT */
/* What the user asked `xperf compare` for. */
#ifndef CLI_COMPARE_CONFIG_H
#define CLI_COMPARE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "stat/options/stat-config.h"

/* A share that was not given. */
#define NOT_GIVEN (-1.0)

/* Options that can be given several times. */
struct texts {
	const char **at;
	size_t nr;
};

struct compare_config {
	struct stat_config
		stat; /* first: options of stat are parsed into it; what is counted in each run */

	/* what is run */
	char **words; /* the commands as they were typed, NULL-terminated */
	struct texts names;
	const char *import;      /* a file of stored runs; NULL: none */
	const char *import_name; /* which of them; NULL: all */
	struct texts sweeps;     /* "name=1,2" */
	const char *shell;       /* NULL: none */
	const char *setup;       /* this and the others: NULL: none */
	struct texts prepares;   /* none, one for all commands, or one for each */
	const char *conclude;
	const char *cleanup;
	bool ignore_failure;
	bool show_output;
	bool no_padding;

	/* how often */
	int warmup;
	int rounds;     /* 0: not given */
	int max_rounds; /* 0: not given */
	double time_s;  /* 0: not given */
	double until;   /* share; NOT_GIVEN */
	uint64_t seed;
	bool has_seed;

	/* what is concluded */
	double within;         /* share */
	double fail_if_slower; /* share; NOT_GIVEN */
	const char *judge;     /* the metric that --until and --fail-if-slower look at */

	/* where it goes */
	const char *json, *csv, *markdown; /* files; NULL: none */
};

/* As stat_config_init(). */
bool compare_config_init(struct compare_config *config, int argc, char **argv, int *ret_status);
void compare_config_fini(struct compare_config *config);

#endif
