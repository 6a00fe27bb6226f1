/* SPDX-License-Identifier: MIT */
/* Files that are written: what struct xp_sys says of them, on the real kernel. */
#ifndef SYS_DISK_H
#define SYS_DISK_H

#include <xperf/api.h>
#include <xperf/sys.h>

struct xp_sys;

/* struct xp_sys: create, pwritev, truncate, rename, remove, mkdir, lstat. */
int xp_disk_create(const struct xp_sys *sys, const char *path, int flags);
ssize_t xp_disk_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			int64_t offset);
int xp_disk_truncate(const struct xp_sys *sys, int fd, uint64_t len);
int xp_disk_rename(const struct xp_sys *sys, const char *from, const char *to);
int xp_disk_remove(const struct xp_sys *sys, const char *path);
int xp_disk_mkdir(const struct xp_sys *sys, const char *path);
int xp_disk_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat);

#endif
