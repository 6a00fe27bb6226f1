/* SPDX-License-Identifier: MIT */
/* A run of `script` over a recording. */
#ifndef SCRIPT_RUN_H
#define SCRIPT_RUN_H

#include "config.h"

/*
 * Prints the samples of a recording to @fd. Returns 0, or a negative errno; with the reason in
 * rec->diag where it is not that of reading; that is also filled where something was left out.
 */
int run_script(struct recording *rec, const struct config *config, int fd);

#endif
