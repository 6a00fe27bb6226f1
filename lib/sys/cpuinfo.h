/* SPDX-License-Identifier: MIT */
/* What the kernel says of the first CPU. Source: proc(5), /proc/cpuinfo. */
#ifndef SYS_CPUINFO_H
#define SYS_CPUINFO_H

#include "ctx.h"

/* Enough for what describes one CPU: on large machines all of the file takes the kernel
 * milliseconds. */
enum { XP_CPUINFO_LEN = 4096 };

/* Reads the beginning of the file. Returns 0 or a negative errno. */
int xp_cpuinfo_read(struct xp_ctx *ctx, char info[XP_CPUINFO_LEN]);
/* What is after "@key : " in @info, the caller's to free; NULL: nothing. */
char *xp_cpuinfo_value(const char *info, const char *key);

#endif
