/* SPDX-License-Identifier: MIT */
/* jit-PID.dump: what a JIT compiler has written down of the code it made. */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include "table.h"

/*
 * Adds the functions of a file that is in memory to a table of which the later ones win. Those
 * behind damage are left out. Returns 0, -ENOEXEC (it is no such file), -ENOMEM.
 */
int xp_jitdump_add(struct table *table, const void *bytes, size_t len);

#endif
