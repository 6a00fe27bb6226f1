/* SPDX-License-Identifier: MIT */
/*
 * The directory of files by build id:
 *
 *   DIR/NAME/ID/elf, debug, kallsyms, vdso, probes, map   the files
 *   DIR/.build-id/ID's first two/the rest                 a symbolic link to DIR/NAME/ID
 *
 * Source: perf-buildid-cache(1); perf 6.1, what it left in ~/.debug.
 */
#ifndef BUILDID_CACHE_H
#define BUILDID_CACHE_H

#include <xperf/api.h>

struct xp_diag;

enum { CACHE_ID_TEXT = 41, CACHE_PATH = 4096 };

/* @name: "/usr/bin/ls", "[kernel.kallsyms]"; @dir: where its files are */
struct cache_entry {
	char id[CACHE_ID_TEXT];
	char name[CACHE_PATH], dir[CACHE_PATH];
};

/* The files that an entry can have; NULL behind them. */
extern const char *const cache_files[];

/* Calls @fn for each entry, in the order of their build ids, until it returns something else than
 * 0, which is returned. Links that lead elsewhere are none. */
int cache_each(const char *dir, int (*fn)(const struct cache_entry *entry, void *data), void *data);

/* Finds what is kept by an id. Returns 1, or 0: nothing. */
int cache_find(const char *dir, const char *id, struct cache_entry *ret_entry);

/* Keeps the file @path, linked or copied. Returns 0, also if it is there; or a negative errno with
 * @diag filled. */
int cache_add(const char *dir, const char *path, const char *id, struct xp_diag *diag);

/* Removes an entry, and directories that are empty then. Returns likewise. */
int cache_remove(const char *dir, const struct cache_entry *entry, struct xp_diag *diag);

#endif
