/* SPDX-License-Identifier: MIT */
/* A mark by which a process distinguishes itself from its children by fork(2), at the cost of a
 * load. */
#ifndef SYS_FORK_MARK_H
#define SYS_FORK_MARK_H

#include <stdint.h>

/*
 * Makes a mark that is 1 here and 0 in every child made by fork(2) from now on. Before Linux 4.14
 * it is 1 there, too. Returns 0 or -ENOMEM.
 */
int xp_fork_mark_new(const volatile uint32_t **ret_mark);

/* Gives its memory back, in the process that made it or in a child. @mark may be NULL. */
void xp_fork_mark_free(const volatile uint32_t *mark);

#endif
