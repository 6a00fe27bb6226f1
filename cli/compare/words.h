/* SPDX-License-Identifier: MIT */
/* A command in one text, without a shell. */
#ifndef CLI_COMPARE_WORDS_H
#define CLI_COMPARE_WORDS_H

#include <xperf/api.h>

struct xp_diag;

/*
 * Divides @text into the words of a command: blanks, '…', "…" and \ are as in a shell. What else a
 * shell would do is refused. *ret_argv is one block to free(), NULL-terminated. Returns 0, or a
 * negative errno with @diag filled: -EINVAL, -ENOMEM.
 */
int words_split(const char *text, char ***ret_argv, struct xp_diag *diag);

#endif
