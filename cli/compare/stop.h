/* SPDX-License-Identifier: MIT */
/* When enough has been measured. */
#ifndef CLI_COMPARE_STOP_H
#define CLI_COMPARE_STOP_H

#include "findings.h"

/* After each complete round; sets m->over. Returns 0 or a negative errno with @diag filled. */
int stop_if_enough(struct measurement *m, struct xp_diag *diag);

/* The rate of errors for what is concluded at the end. */
double stop_rate(const struct measurement *m);

#endif
