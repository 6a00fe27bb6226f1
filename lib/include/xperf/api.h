/* SPDX-License-Identifier: MIT */
/*
 * What every public header needs: the export mark, C linkage for C++, the version.
 *
 * Structures of options (struct xp_..._opts) begin with their size, so that they can grow: set
 * .size = sizeof(...) and leave what you do not use at 0. Every function that takes one returns
 *   -EINVAL  the size is 0, or smaller than the structure ever was
 *   -E2BIG   the program was compiled for a newer libxperf, and sets an option this one does not
 * know Options of older programs lack the newer fields, which count as 0.
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
