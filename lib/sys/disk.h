/* SPDX-License-Identifier: MIT */
/* Files that are written: what struct xp_sys says of them, on the real kernel. */
#ifndef SYS_DISK_H
#define SYS_DISK_H

#include <xperf/sys.h>

/* struct xp_sys: create, pwritev, truncate, rename, remove, mkdir, lstat. */
int disk_create(const struct xp_sys *sys, const char *path, int flags);
ssize_t disk_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
		     int64_t offset);
int disk_truncate(const struct xp_sys *sys, int fd, uint64_t len);
int disk_rename(const struct xp_sys *sys, const char *from, const char *to);
int disk_remove(const struct xp_sys *sys, const char *path);
int disk_mkdir(const struct xp_sys *sys, const char *path);
int disk_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat);

#endif
