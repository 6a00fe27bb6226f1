/* SPDX-License-Identifier: MIT */
/* Debug files from servers, where the user has asked for them. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include <xperf/api.h>

struct debuginfod;
struct xp_build_id;
struct xp_symbols_opts;

/* Makes a client; of @opts counts what concerns servers. Returns NULL: it was not asked for, or
 * there is no library. */
struct debuginfod *xp_debuginfod_new(const struct xp_symbols_opts *opts);
void xp_debuginfod_free(struct debuginfod *client);
/*
 * Gets a debug file into the library's cache, unless it is there. After the first time that this
 * takes longer than the limit nothing is asked for any more.
 * Returns the path, the caller's to free; NULL: there is none.
 */
char *xp_debuginfod_get(struct debuginfod *client, const struct xp_build_id *id, const char *name);

#endif
