/* SPDX-License-Identifier: MIT */
/* A file of /proc or /sys line by line, as far as it is wanted. */
#ifndef SESSION_LINES_H
#define SESSION_LINES_H

#include <stdarg.h>

#include "ctx.h"

enum { LINES_BUFFER = 16384 };

/* Caller's storage, begun by xp_lines_open(). @fd: others may use it, too. */
struct lines {
	const struct xp_sys *sys;
	int fd;
	size_t pos, len;
	bool at_end;
	bool in_long_line;
	char buf[LINES_BUFFER];
};

/* Opens a file below the context's root without memory of its own. Returns a descriptor or why not.
 */
int xp_file_open(struct xp_ctx *ctx, const char *fmt, va_list ap) XP_PRINTF(2, 0);

/* Opens a file, @fmt and arguments give its path without the root. Returns 0 or why not. */
int xp_lines_open(struct lines *lines, struct xp_ctx *ctx, const char *fmt, ...) XP_PRINTF(3, 4);
void xp_lines_close(struct lines *lines);

/*
 * The next line without its newline, valid until the next call. Lines that do not fit into the
 * buffer are left out. Returns 1 with a line, 0 at the end, or why it cannot be read.
 */
int xp_lines_next(struct lines *lines, const char **ret_line, size_t *ret_len);

#endif
