/* SPDX-License-Identifier: MIT */
/* Where the kernel was when symbols were read. */
#ifndef SYMBOL_REFERENCE_H
#define SYMBOL_REFERENCE_H

#include <xperf/api.h>

struct xp_symtab;

/*
 * The address of a symbol by its name, "_text" for the kernel: the difference between its recorded
 * and its present address is the distance everything has moved.
 * Returns 0, -ENODATA.
 */
int xp_symtab_reference(struct xp_symtab *symtab, const char *name, uint64_t *ret_address);

#endif
