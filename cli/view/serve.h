/* SPDX-License-Identifier: MIT */
/* A report for the browser of another machine, or of another user. */
#ifndef VIEW_SERVE_H
#define VIEW_SERVE_H

#include <stdio.h>

/*
 * Serves @fd, a page, on this machine's loopback and prints its address to @out, until ^C or for
 * @seconds (0: until ^C). Returns 0, or a negative errno after printing why.
 */
int serve(int fd, int seconds, FILE *out);

#endif
