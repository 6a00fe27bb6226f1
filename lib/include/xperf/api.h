/* SPDX-License-Identifier: MIT */
/*
 * What every public header needs: the export mark, C linkage for C++, the version.
 *
 * Structures that begin with their size can grow at their end: a program sets .size = sizeof(...)
 * and leaves what it does not use at 0, before a function reads or fills the structure. So a
 * program goes on working with a newer library, and with an older one if it uses nothing that is
 * new. Functions return
 *   -EINVAL  the size is 0, or smaller than the structure ever was
 *   -E2BIG   the program was compiled for a newer libxperf, and sets something that this one does
 *            not know; or the size is over 4096, which no structure ever is
 * Fields that the program does not have count as 0 and are not filled; fields that the library does
 * not have are filled with 0. A structure that can grow and is part of another one is its last
 * field.
 *
 * Structures that the library makes, and hands out as pointers, can grow at their end, too: they
 * are not copied by value. All others stay as they are. Fields called padding are never used.
 *
 * Pointers that functions are given are not NULL, unless their description allows it: that is not
 * checked. What frees something, or ends its use, takes NULL.
 */
#ifndef XPERF_API_H
#define XPERF_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XP_API               __attribute__((visibility("default")))
#define XP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#ifdef __cplusplus
#define XP_BEGIN_DECLS extern "C" {
#define XP_END_DECLS   }
#else
#define XP_BEGIN_DECLS
#define XP_END_DECLS
#endif

/** Version of the headers: major * 10000 + minor * 100 + patch. */
#define XP_VERSION_NUM 100

XP_BEGIN_DECLS

/**
 * xp_version - version of the library that runs
 *
 * Returns "MAJOR.MINOR.PATCH"; static storage.
 */
XP_API const char *xp_version(void);

/**
 * xp_version_num - version of the library that runs, as a number like XP_VERSION_NUM
 *
 * Returns major * 10000 + minor * 100 + patch.
 */
XP_API int xp_version_num(void);

XP_END_DECLS

#endif
