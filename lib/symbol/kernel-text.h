/* SPDX-License-Identifier: MIT */
/*
 * A text of /proc/kallsyms, searched without being parsed as a whole: it is in the order of
 * addresses and modules come last, so a place in it is found by bisection, and only the lines
 * around it become a table.
 */
#ifndef SYMBOL_KERNEL_TEXT_H
#define SYMBOL_KERNEL_TEXT_H

#include "table.h"

struct xp_ctx;
struct kernel_text;

/*
 * Reads the text, of this kernel or a copy, through @ctx. Returns 0 with *ret_text the caller's to
 * unref, or why not; -EACCES: all addresses are hidden.
 */
int xp_kernel_text_open(struct xp_ctx *ctx, const char *path, struct kernel_text **ret_text);
/* The same of the running kernel. It is kept in a directory, where the next command finds it; NULL:
 * it is not kept. */
int xp_kernel_text_open_running(struct xp_ctx *ctx, const char *dir, struct kernel_text **ret_text);
/* One more has it. Returns @text. */
struct kernel_text *xp_kernel_text_ref(struct kernel_text *text);
/* The last one frees it. @text may be NULL. */
void xp_kernel_text_unref(struct kernel_text *text);

/* Where it is from. */
const char *xp_kernel_text_path(const struct kernel_text *text);
/* The kernel's own function at an address. Any thread may call it. Returns 1 or 0. */
int xp_kernel_text_find(struct kernel_text *text, uint64_t address, struct demangler *demangler,
			struct xp_function *ret_function);
/* The address of one of its names. Returns 0 or -ENODATA. */
int xp_kernel_text_address(struct kernel_text *text, const char *name, uint64_t *ret_address);
/* Fills a table with the functions of a module, counted from the page it begins in. Any thread may
 * call it. Returns 0,
 * -ENOENT: there is no such module; -ENOMEM. */
int xp_kernel_text_module(struct kernel_text *text, const char *name, struct table *table);

#endif
