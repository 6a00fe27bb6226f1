/* SPDX-License-Identifier: MIT */
/* Samples in no known function: in which files, why, and what helps. */
#ifndef RECORDING_UNNAMED_H
#define RECORDING_UNNAMED_H

#include <stdbool.h>
#include <stdio.h>
#include <xperf/profile.h>
#include <xperf/timeline.h>

/*
 * Prints a line for each reason, of a profile that is resolved.
 * @prefix: of each line
 * @only_made: code that programs have made only, whose names are lost when they end
 */
void unnamed_print(FILE *file, const char *prefix, const struct xp_timeline *timeline,
		   struct xp_profile *profile, bool only_made);

#endif
