/* SPDX-License-Identifier: MIT */
/* Files that are complete before they bear their names; see replace.h. */
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <xperf/sys.h>

int xp_write_all(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr)
{
	for (int i = 0; i < nr; i++)
		for (struct iovec left = pieces[i]; left.iov_len;) {
			ssize_t n = sys->pwritev(sys, fd, &left, 1, -1);

			if (n == -EINTR)
				continue;
			if (n <= 0)
				return n < 0 ? (int)n : -EIO;
			left.iov_base = (char *)left.iov_base + n;
			left.iov_len -= (size_t)n;
		}
	return 0;
}

int xp_replace_file(const struct xp_sys *sys, const char *path,
		    int (*fn)(const struct xp_sys *sys, int fd, void *data), void *data)
{
	char beside[PATH_MAX];

	if (snprintf(beside, sizeof(beside), "%s.%d", path, getpid()) >= (int)sizeof(beside))
		return -ENAMETOOLONG;
	sys->remove(sys, beside);
	int fd = sys->create(sys, beside, O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	int err = fn(sys, fd, data);
	sys->close(sys, fd);
	if (!err)
		err = sys->rename(sys, beside, path);
	if (err)
		sys->remove(sys, beside);
	return err;
}
