/* SPDX-License-Identifier: MIT */
/* Dumps of JIT compilers, by what a recording says of them. */
#ifndef SYMBOL_DUMPS_H
#define SYMBOL_DUMPS_H

#include <xperf/api.h>

struct xp_symbol_file;
struct xp_symbols;

/* As xp_symbols_add_jitdump(), of a file that may be kept by a build id. */
int xp_symbols_add_dump(struct xp_symbols *symbols, int32_t pid, const struct xp_symbol_file *file);

#endif
