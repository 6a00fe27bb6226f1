/* SPDX-License-Identifier: MIT */
/* The fields in a tracepoint's format file, as libtraceevent reads them. */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <xperf/api.h>

struct xp_diag;
struct xp_tracepoint_field;

/* Called once per field, in the file's order; its strings are borrowed for the call. Returns 0, or
 * what stops the walk. */
typedef int xp_format_fn(const struct xp_tracepoint_field *field, void *data);

/*
 * Reads the text of a format file.
 * Returns 0, what @fn returned, -ENOSYS (no libtraceevent; @diag says so), -EBADMSG (the text is
 * not understood), -ENOMEM.
 */
int xp_format_walk(const char *text, size_t len, xp_format_fn *fn, void *data,
		   struct xp_diag *diag);

#endif
