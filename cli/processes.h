/* SPDX-License-Identifier: MIT */
/* Processes by their name, and by their parent. */
#ifndef CLI_PROCESSES_H
#define CLI_PROCESSES_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;

/*
 * @list: numbers and names separated by commas. *ret_list: numbers alone, the caller's to free,
 * also after a failure; NULL: @list has no names. Returns 0; -ESRCH: no process has one of the
 * names, and another negative errno, with @diag filled.
 */
int processes_of_names(struct xp_ctx *ctx, const char *list, char **ret_list, struct xp_diag *diag);

/* The children that some processes have now. @parents and *ret_list as above. Returns how many
 * there are, or a negative errno. */
int processes_of_children(struct xp_ctx *ctx, const char *parents, char **ret_list);

#endif
