/* SPDX-License-Identifier: MIT */
/* --syscalls: the events that `xperf report --syscalls` reads. */
#ifndef CLI_RECORD_SYSCALLS_H
#define CLI_RECORD_SYSCALLS_H

#include <xperf/api.h>

#include "config.h"

struct xp_diag;
struct xp_evlist;

/* The value of the option. As option_fn. */
int parse_syscalls(const struct option *option, const char *arg, bool negated, void *values);
/* What it cannot be combined with, as a sentence; NULL: nothing that was given. */
const char *syscalls_contradiction(const struct record_config *config);

/* Appends them, if they are asked for. @names: separated by commas; "": all; NULL: none. Returns
 * 0, or a negative errno with @diag filled. */
int syscalls_add(struct xp_evlist *evlist, const char *names, struct xp_diag *diag);

#endif
