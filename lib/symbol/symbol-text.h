/* SPDX-License-Identifier: MIT */
/* Symbols in text: /proc/kallsyms, and the maps that JIT compilers leave. */
#ifndef SYMBOL_SYMBOL_TEXT_H
#define SYMBOL_SYMBOL_TEXT_H

#include <xperf/api.h>

#include "str.h"

struct xp_ctx;

/* @line: where its line begins; @module_len: 0: it is the kernel's own */
struct text_symbol {
	const char *line;
	uint64_t address, size;
	char type;
	const char *name, *module;
	size_t name_len, module_len;
};

/* Where a walk through a text is, which ends with a newline, or has a NUL behind it. */
struct text_cursor {
	const char *at, *end;
};

/* The next symbol of "ADDRESS TYPE NAME [MODULE]"; what is none is passed over. */
bool xp_text_next_kernel_symbol(struct text_cursor *cursor, struct text_symbol *ret_symbol);
/* The next of "ADDRESS SIZE NAME", where a name may have spaces. */
bool xp_text_next_jit_symbol(struct text_cursor *cursor, struct text_symbol *ret_symbol);

/* Reads a regular file, or one of /proc. Returns 0 or why not. */
int xp_text_read(struct xp_ctx *ctx, const char *path, struct xp_str *text);
/* The same of an open file. */
int xp_text_read_fd(struct xp_ctx *ctx, int fd, struct xp_str *text);

#endif
