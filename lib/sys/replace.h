/* SPDX-License-Identifier: MIT */
/*
 * Files that are complete before they bear their names: written beside, then renamed. Whatever
 * fails on the way, the file that was there stays as it was.
 */
#ifndef SYS_REPLACE_H
#define SYS_REPLACE_H

#include <sys/uio.h>
#include <xperf/api.h>

struct xp_sys;

/* Writes all bytes of @pieces where @fd is. Returns 0; -EIO: the file takes no more; other negative
 * errno: as the kernel gave it. */
int xp_write_all(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr);

/*
 * Makes the file @path of what @fn writes to a descriptor, of mode 0600; one of the name is
 * replaced. @fn returns 0 or a negative errno. Returns 0, what @fn returned; -ENAMETOOLONG; other
 * negative errno: as the kernel gave it.
 */
int xp_replace_file(const struct xp_sys *sys, const char *path,
		    int (*fn)(const struct xp_sys *sys, int fd, void *data), void *data);

#endif
