/* SPDX-License-Identifier: MIT */
/*
 * A directory of files that can be made again, such as ~/.cache/xperf. What others could have
 * written there is not read, and a file is complete before it bears its name.
 */
#ifndef SYMBOL_CACHE_DIR_H
#define SYMBOL_CACHE_DIR_H

#include <sys/uio.h>
#include <xperf/api.h>

struct xp_sys;

/*
 * Opens a file of the directory for reading. Returns a descriptor with the file's size in bytes, or
 * why not; -EPERM: the file, the directory or the one above it is another user's, or others may
 * write to it.
 */
int xp_cache_open(const struct xp_sys *sys, const char *dir, const char *name, uint64_t *ret_len);

/*
 * Writes a file; an older one of the name is replaced. Makes the directory, and the one above it.
 * Of others whose names begin with @family, only the @max that were written last stay. Returns 0
 * or why it is not there.
 */
int xp_cache_write(const struct xp_sys *sys, const char *dir, const char *name, const char *family,
		   size_t max, const struct iovec *pieces, int nr);

#endif
