/* SPDX-License-Identifier: MIT */
/* Tables of a symbolizer that goes on with the next recording. */
#ifndef SYMBOL_LASTING_H
#define SYMBOL_LASTING_H

#include <xperf/api.h>

struct xp_symtab;

/* Whoever has opened a table does not need it any more, nor what is in it. One that is never closed
 * stays. */
void xp_symtab_close(struct xp_symtab *symtab);

#endif
