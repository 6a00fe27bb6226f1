/* SPDX-License-Identifier: MIT */
/* What this build can do, under the names scripts ask for. */
#ifndef CLI_FEATURE_H
#define CLI_FEATURE_H

#include <stdbool.h>

/* One feature. */
struct build_feature {
	const char *name;
	const char *macro; /* what perf's build calls it; `check feature` takes it too */
	bool on;
};

/* The table, ended by a zero row. */
extern const struct build_feature features[];

bool feature_is_on(const char *name);

/* Prints one line about a feature to stdout. */
void feature_print(const struct build_feature *feature);

#endif
