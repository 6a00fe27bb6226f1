/* SPDX-License-Identifier: MIT */
/* What is different where somebody watches: colours, and a pager for what is longer than a screen.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

/* True if text for this descriptor may be coloured: a terminal that can, and no NO_COLOR. */
bool terminal_has_color(int fd);

/* Columns of the terminal; 0: it is none, or does not report them. */
int terminal_columns(int fd);

/* No pager from here on (--no-pager). */
void pager_disable(void);

/*
 * From here on standard output goes through PERF_PAGER, else PAGER, else less, if it is a terminal.
 * Returns the pager's process, or 0 where there is none.
 */
pid_t pager_start(void);

/* Waits until the reader has seen enough. @pager may be 0. */
void pager_end(pid_t pager);

#endif
