/* SPDX-License-Identifier: MIT */
/* Functions of the running kernel. */
#ifndef EVSEL_KERNEL_SYMBOLS_H
#define EVSEL_KERNEL_SYMBOLS_H

#include <xperf/api.h>

struct xp_ctx;

/*
 * Return 0 to go on; any other value stops the walk and becomes its result.
 * @address: 0 where kptr_restrict hides it
 */
typedef int (*xp_kernel_symbol_fn)(const char *name, uint64_t address, void *data);

/* Goes through the functions, modules' included. Returns 0, what @fn returned, or why not. */
int xp_kernel_functions_walk(struct xp_ctx *ctx, xp_kernel_symbol_fn fn, void *data);

#endif
